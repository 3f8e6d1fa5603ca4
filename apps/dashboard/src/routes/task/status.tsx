import { Note } from '../../parts/note.tsx';
import { Instant } from '../../time/instant.tsx';
import { zoneOf } from '../../time/schedule-zone.ts';
import { words } from '../../words/index.ts';
import type { TaskDescription } from './answer.ts';

const { task: text } = words;

/** Whatever keeps a task from running as its schedule says: who has paused it, why, and until when. */
export function TaskStatus({ task }: { task: TaskDescription }) {
  const { pauses, planError, change, pool } = task;
  const zone = zoneOf(task.definition);
  return (
    <>
      {pauses.map((pause) => (
        <Pause key={`${pause.fromAt} ${pause.createdBy}`} pause={pause} zone={zone} />
      ))}
      {planError === null ? null : (
        <Note tone="bad" shape="cross" title={text.unplannable}>
          {planError}
        </Note>
      )}
      {task.state === 'never_fires' ? (
        <Note tone="missed" shape="gap" title={text.neverFires}>
          {text.neverFiresWhy}
        </Note>
      ) : null}
      {pool.waits === null ? null : (
        <Note tone="attention" shape="hand" title={`${text.waits}: ${pool.waits.reason}`}>
          {pool.waits.advice}
        </Note>
      )}
      {change === null ? null : (
        <Note tone="waiting" shape="clock" title={text.change}>
          <span>
            <Instant at={change.effectiveAt} scheduleZone={zone} as="both" />,{' '}
            {text.changeBy(change.createdBy.name, change.note)}
          </span>
          {change.error}
        </Note>
      )}
    </>
  );
}

function Pause({ pause, zone }: { pause: TaskDescription['pauses'][number]; zone: string | null }) {
  const { createdBy, fromAt, untilAt, note, runId, failures } = pause;
  const title = runId === null ? text.pausedTitle(createdBy) : text.restingTitle(createdBy);
  return (
    <Note tone="attention" shape="hand" title={failures ? `${title}, ${text.failures(failures)}` : title}>
      {note === null ? null : <span>{note}</span>}
      <span className="quiet">
        {text.pausedSince} <Instant at={fromAt} scheduleZone={zone} />,{' '}
        {untilAt === null ? (
          text.pausedForever
        ) : (
          <>
            {text.pausedUntil} <Instant at={untilAt} scheduleZone={zone} as="both" />
          </>
        )}
      </span>
    </Note>
  );
}

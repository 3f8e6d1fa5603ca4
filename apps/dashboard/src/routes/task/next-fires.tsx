import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { keyOf } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { toForecast } from '../../links.ts';
import { useMay } from '../../me/me.ts';
import { Answer } from '../../parts/answer.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { Instant } from '../../time/instant.tsx';
import { zoneOf } from '../../time/schedule-zone.ts';
import { words } from '../../words/index.ts';
import type { TaskDescription } from './answer.ts';
import styles from './screen.module.css';

const { task: text } = words;
const COUNT = 5;

/** When a task is due next, by the scheduler's own code. */
export function NextFires({ task }: { task: TaskDescription }) {
  const maySee = useMay('edit');
  const { definition, nextStartAt, planError } = task;
  const kind = definition.schedule?.kind ?? 'manual';
  return (
    <Panel
      title={text.fires}
      note={zoneOf(definition) ?? undefined}
      actions={<Link {...toForecast({ task: task.name })}>{words.whatIf.ofTask}</Link>}
      flush
    >
      {kind === 'manual' ? (
        <Empty title={text.firesManual} />
      ) : maySee && kind !== 'fixed-delay' && planError === null ? (
        <Asked task={task} />
      ) : (
        <>
          <Fires of={nextStartAt === null ? [] : [nextStartAt]} task={task} />
          <p className={styles.foot}>{kind === 'fixed-delay' ? text.firesAfterEnd : text.firesHidden}</p>
        </>
      )}
    </Panel>
  );
}

function Asked({ task }: { task: TaskDescription }) {
  const fires = useQuery({ ...firesQuery(task), placeholderData: (before) => before });
  return (
    <Answer of={fires} skeleton={<SkeletonRows rows={COUNT} />}>
      {({ before }) => <Fires of={before} task={task} />}
    </Answer>
  );
}

/** A change that changes nothing, looked at beforehand. It is asked again once the next fire is another one. */
function firesQuery({ id, version, nextRunAt }: TaskDescription) {
  const path = '/v1/tasks/{id}/preview';
  const given = { path: { id }, query: { count: COUNT, days: 1 }, body: {} };
  return queryOptions({
    queryKey: keyOf('/v1/preview', { id, version, nextRunAt }),
    queryFn: ({ signal }) => request('post', path, given, { signal }),
  });
}

function Fires({ of, task: { definition, pauses } }: { of: readonly string[]; task: TaskDescription }) {
  const zone = zoneOf(definition);
  if (of.length === 0) return <Empty title={text.firesNone} />;
  return (
    <ul className={styles.list}>
      {of.map((at) => (
        <li key={at} className={styles.fire}>
          <Instant at={at} scheduleZone={zone} />
          <span className="quiet">
            {isSkipped(at, pauses) ? text.fireSkipped : <Instant at={at} scheduleZone={zone} as="relative" />}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Whether a pause of somebody is in force then. One that a run has decided moves the schedule: nothing is skipped. */
function isSkipped(at: string, pauses: TaskDescription['pauses']): boolean {
  const ms = Date.parse(at);
  return pauses.some(
    ({ runId, fromAt, untilAt }) =>
      runId === null && Date.parse(fromAt) <= ms && (untilAt === null || ms < Date.parse(untilAt)),
  );
}

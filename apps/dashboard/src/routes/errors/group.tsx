import { Link } from '@tanstack/react-router';
import { toErrors, toRun } from '../../links.ts';
import { StateMark } from '../../parts/state.tsx';
import type { Look } from '../../states.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { Actions } from './actions.tsx';
import type { ErrorGroup } from './answer.ts';
import { Hours } from './hours.tsx';
import styles from './screen.module.css';
import { type ErrorsSearch, spanMsOf } from './search.ts';

const { errors: text } = words;
const NAMED = 3;

const LOOKS: Readonly<Record<ErrorGroup['state'], Look>> = {
  open: { tone: 'bad', shape: 'cross', words: text.state.open },
  back: { tone: 'bad', shape: 'retry', words: text.state.back },
  muted: { tone: 'quiet', shape: 'slash', words: text.state.muted },
  resolved: { tone: 'good', shape: 'check', words: text.state.resolved },
};

/** Failures that are taken for the same: what, where, how often, since when, and what can be done. */
export function Group({ group, search }: { group: ErrorGroup; search: ErrorsSearch }) {
  const { name, message, frame, count, firstSeenAt, firstRelease, releaseBefore, lastAt, lastRunId, state } = group;
  return (
    <li className={styles.group} data-row>
      <div className={styles.what}>
        <div className={styles.head}>
          <StateMark look={LOOKS[state]} />
          <strong>{name ?? text.unnamed}</strong>
          <span className="quiet">{text.failures(count)}</span>
        </div>
        <p className={styles.message}>{message}</p>
        {frame === null ? null : <code className={styles.frame}>{frame}</code>}
        <p className={styles.facts}>
          <span>
            {text.first} <Instant at={firstSeenAt} as="relative" />
            {firstRelease === null ? null : `, ${text.inRelease(firstRelease, releaseBefore)}`}
          </span>
          <span>
            {text.last} <Instant at={lastAt} as="relative" />
          </span>
          <Link {...toRun(lastRunId)}>{text.latest}</Link>
          <Tasks group={group} search={search} />
        </p>
        <GroupStatus group={group} />
      </div>
      <div className={styles.beside}>
        <Hours hours={group.hours} spanMs={spanMsOf(search)} />
        <Actions group={group} search={search} />
      </div>
    </li>
  );
}

function Tasks({ group: { tasks, taskCount }, search }: { group: ErrorGroup; search: ErrorsSearch }) {
  const named = tasks.slice(0, NAMED);
  return (
    <span>
      {text.inTasks}{' '}
      {named.map(({ name }, index) => (
        <span key={name}>
          {index === 0 ? null : ', '}
          <Link {...toErrors({ ...search, task: name })}>{name}</Link>
        </span>
      ))}
      {taskCount > named.length ? ` ${text.moreTasks(taskCount - named.length)}` : null}
    </span>
  );
}

/** What a person has said of it last. */
function GroupStatus({ group: { state, status } }: { group: ErrorGroup }) {
  if (status === null) return null;
  const { by, note, mutedUntil, resolvedAt } = status;
  const isMuted = state === 'muted' && mutedUntil !== null;
  if (!isMuted && resolvedAt === null) return null;
  return (
    <p className="quiet">
      {isMuted ? (
        <>
          {text.mutedBy(by)} <Instant at={mutedUntil} />
        </>
      ) : (
        <>
          {text.resolvedBy(by)} {resolvedAt === null ? null : <Instant at={resolvedAt} as="relative" />}
        </>
      )}
      {note === null ? null : `: ${note}`}
    </p>
  );
}

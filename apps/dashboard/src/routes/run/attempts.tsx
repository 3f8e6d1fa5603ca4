import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { toErrors, toRunsLike } from '../../links.ts';
import { Panel } from '../../parts/panel.tsx';
import { RunStateMark, StateMark } from '../../parts/state.tsx';
import { Elapsed } from '../../time/elapsed.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import type { RunDescription } from './answer.ts';
import { RunErrorView } from './run-error.tsx';
import styles from './screen.module.css';
import { attemptLook } from './timeline.ts';
import { TimelinePicture } from './timeline-picture.tsx';

const { run: text } = words;
type Attempt = RunDescription['attempts'][number];

/** The tries of a run, the newest first: that is the one that is asked about. */
export function Attempts({ run }: { run: RunDescription }) {
  const earlier = run.attempts
    .filter(({ attempt }) => attempt !== run.attempt || run.state === 'retrying')
    .toReversed();
  if (run.attempt === 0) return null;
  return (
    <Panel title={text.attempts} note={run.attempt} flush>
      <TimelinePicture run={run} />
      <ol className={styles.tries} reversed>
        {run.state === 'retrying' ? null : (
          <Try n={run.attempt} mark={<RunStateMark state={run.state} />} of={run}>
            {run.error ? <RunErrorView error={run.error} isOpen /> : null}
            {run.error ? <Alike run={run} message={run.error.message} /> : null}
          </Try>
        )}
        {earlier.map((attempt) => (
          <Try
            key={attempt.attempt}
            n={attempt.attempt}
            mark={<StateMark look={attemptLook(attempt.outcome)} />}
            of={attempt}
          >
            {attempt.error ? <RunErrorView error={attempt.error} isOpen={false} /> : null}
          </Try>
        ))}
      </ol>
    </Panel>
  );
}

interface TryProps {
  n: number;
  mark: ReactNode;
  of: Pick<Attempt, 'startedAt' | 'worker' | 'reason' | 'exitCode' | 'error'> & { finishedAt: string | null };
  children: ReactNode;
}

function Try({ n, mark, of: { startedAt, finishedAt, worker, reason, exitCode, error }, children }: TryProps) {
  return (
    <li className={styles.try}>
      <div className={styles.tryHead}>
        <strong>{text.attempt(n)}</strong>
        {mark}
        {startedAt === null ? null : (
          <>
            <Instant at={startedAt} />
            <Elapsed from={startedAt} to={finishedAt} />
          </>
        )}
        {worker === null ? null : <span className="quiet">{worker}</span>}
        {exitCode === null || exitCode === 0 ? null : (
          <span className="quiet">
            {text.fact.exitCode} {exitCode}
          </span>
        )}
      </div>
      {reason === null || error ? null : <p className={styles.message}>{reason}</p>}
      {children}
    </li>
  );
}

/** Where else it failed so. */
function Alike({ run: { taskName }, message }: { run: RunDescription; message: string }) {
  return (
    <p className={styles.alike}>
      <Link {...toRunsLike(message)}>{text.runsLike}</Link>
      <Link {...toErrors({ task: taskName, shown: 'all', since: '30d' })}>{text.errorsOfTask}</Link>
    </p>
  );
}

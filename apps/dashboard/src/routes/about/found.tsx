import { Link } from '@tanstack/react-router';
import { toRun } from '../../links.ts';
import { StateMark } from '../../parts/state.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import type { Verification } from './progress.ts';
import styles from './screen.module.css';

const { about: text, common } = words;

/** What differs between the ledger and what should have happened. */
export function Found({ verification: { found, error } }: { verification: Verification }) {
  if (error) return error.message;
  if (found === null) return common.none;
  const { gaps, findings, named, unseen } = found;
  return (
    <>
      <StateMark
        look={
          gaps === 0
            ? { tone: 'good', shape: 'check', words: text.noGap }
            : { tone: 'bad', shape: 'cross', words: text.gaps(gaps) }
        }
      />
      {findings > gaps ? <div className={styles.small}>{text.others(findings - gaps)}</div> : null}
      {unseen === null ? null : <div className={styles.small}>{unseen}</div>}
      {named.length === 0 ? null : (
        <details>
          <summary>{text.showFindings(named.length)}</summary>
          <ul className={styles.findings}>
            {named.map(({ kind, task, scheduledFor, runId, detail }) => (
              <li key={`${kind} ${task} ${scheduledFor} ${runId}`}>
                <strong>{kind}</strong> {task}, <Instant at={scheduledFor} />: {detail}{' '}
                {runId === null ? null : <Link {...toRun(runId)}>{text.run}</Link>}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

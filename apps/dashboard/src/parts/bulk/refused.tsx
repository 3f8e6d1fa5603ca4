import { Link } from '@tanstack/react-router';
import { toRun } from '../../links.ts';
import { words } from '../../words/index.ts';
import styles from './progress.module.css';
import type { BulkCounts } from './state.ts';

const { bulk: text } = words;

/** The first of what was refused, and why. */
export function BulkRefused({ counts: { refused, refusedCount } }: { counts: BulkCounts }) {
  if (refused.length === 0) return null;
  return (
    <details className={styles.refused}>
      <summary>{text.refusedTitle(refused.length, refusedCount)}</summary>
      <ul className={styles.list} aria-label={text.refusedList}>
        {refused.map(({ runId, taskName, why }) => (
          <li key={`${runId} ${taskName}`}>
            {runId === null ? taskName : <Link {...toRun(runId)}>{taskName}</Link>}: {why}
          </li>
        ))}
      </ul>
    </details>
  );
}

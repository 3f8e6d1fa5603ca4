import { Panel } from '../../parts/panel.tsx';
import { durationWords } from '../../time/durations.ts';
import { words } from '../../words/index.ts';
import type { RunDescription } from './answer.ts';
import styles from './screen.module.css';

const { run: text } = words;
const PARTS = [
  ['plannedMs', styles.planned],
  ['waitedMs', styles.waited],
  ['queuedMs', styles.queued],
] as const;

/** How late a run began, and what took that long: a bar, and the same as a table. */
export function Lateness({ lateness }: { lateness: RunDescription['lateness'] }) {
  if (lateness === null) return null;
  const { totalMs } = lateness;
  return (
    <Panel title={text.lateness} note={totalMs <= 0 ? undefined : text.late(durationWords(totalMs))}>
      {totalMs <= 0 ? (
        text.onTime
      ) : (
        <>
          <div className={styles.lateness} aria-hidden="true">
            {PARTS.map(([part, style]) =>
              lateness[part] > 0 ? (
                <div
                  key={part}
                  className={`${styles.part} ${style}`}
                  style={{ width: `${(100 * lateness[part]) / totalMs}%` }}
                />
              ) : null,
            )}
          </div>
          <table className={styles.parts}>
            <tbody>
              {PARTS.map(([part, style]) => (
                <tr key={part}>
                  <th scope="row">
                    <span className={`${styles.swatch} ${style}`} aria-hidden="true" />
                    {text.part[part]}
                  </th>
                  <td className="figures">{durationWords(lateness[part])}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </Panel>
  );
}

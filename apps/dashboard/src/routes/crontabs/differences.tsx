import { StateMark } from '../../parts/state.tsx';
import type { Look } from '../../states.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import type { Line } from './crontab.ts';
import styles from './screen.module.css';

const { crontabs: text } = words;
const SHOWN = 10;

const EXPLAINED: Look = { tone: 'quiet', shape: 'check', words: text.explained };
const UNEXPLAINED: Look = { tone: 'bad', shape: 'question', words: text.unexplained };

/** Each start that only one of both had, and what explains it. Those with one that nothing explains are open. */
export function Differences({ lines }: { lines: readonly Line[] }) {
  return lines.filter(({ differences }) => differences.length > 0).map((line) => <OfLine key={line.id} line={line} />);
}

function OfLine({ line: { task, differences, onlyCron, onlyHere, unexplained } }: { line: Line }) {
  const all = onlyCron + onlyHere;
  const shown = differences.slice(-SHOWN).toReversed();
  return (
    <details className={styles.differences} open={unexplained > 0}>
      <summary>{text.differences(task, all, unexplained)}</summary>
      <ul>
        {shown.map(({ at, kind, cause, words: said }) => (
          <li key={`${kind} ${at}`}>
            <Instant at={at} />
            <span>{text.kinds[kind]}</span>
            <StateMark look={cause === null ? UNEXPLAINED : EXPLAINED} />
            <span>{said}</span>
          </li>
        ))}
      </ul>
      {all > shown.length ? <p className={styles.small}>{text.lastOf(shown.length, all)}</p> : null}
    </details>
  );
}

import { memo, useState } from 'react';
import { runPath, toRun } from '../../links.ts';
import { RUN_LOOKS } from '../../states.ts';
import { durationWords } from '../../time/durations.ts';
import { words } from '../../words/index.ts';
import { toneClass } from '../tones.ts';
import { useOpen } from '../use-open.ts';
import {
  type Bar,
  type BarRun,
  barsOf,
  countsOf,
  drawingsOf,
  longestOf,
  MARKS,
  MOST_BARS,
  PITCH,
  TALLEST,
} from './bars.ts';
import styles from './run-bars.module.css';

const WIDTH = MOST_BARS * PITCH - 2;

/** The latest runs of a task as bars: how long each took, and how it went. Each leads to its run. */
export const RunBars = memo(function RunBars({ runs }: { runs: readonly BarRun[] }) {
  const [isPointed, setIsPointed] = useState(false);
  const bars = barsOf(runs);
  return (
    <>
      <span className="unseen">{labelOf(runs)}</span>
      {/* In words it stands above. By keyboard its runs are reached from the page of the task: 30 stops a row are no help. */}
      <svg
        className={styles.bars}
        width={WIDTH}
        height={TALLEST + MARKS}
        aria-hidden="true"
        focusable="false"
        onPointerEnter={() => setIsPointed(true)}
        onPointerLeave={() => setIsPointed(false)}
      >
        {drawingsOf(bars).map(([tone, { full, line, mark }]) => (
          <g key={tone} className={`${styles.tone} ${toneClass(tone)}`}>
            {full === '' ? null : <path className={styles.full} d={full} />}
            {line === '' ? null : <path className={styles.line} d={line} />}
            {mark === '' ? null : <path className={styles.mark} d={mark} />}
          </g>
        ))}
        {/* Of the one that is pointed at: links of all rows would be most of what a table is made of. */}
        {isPointed ? <Links bars={bars} /> : null}
      </svg>
    </>
  );
});

function Links({ bars }: { bars: readonly Bar[] }) {
  const open = useOpen();
  return bars.map(({ run, x }) => (
    <a key={run.id} href={runPath(run.id)} tabIndex={-1} onClick={(event) => open(event, toRun(run.id))}>
      <title>{titleOf(run)}</title>
      <rect className={styles.area} x={x - 1} y={0} width={PITCH} height={TALLEST + MARKS} />
    </a>
  ));
}

function titleOf({ state, durationMs }: BarRun): string {
  const { words: name } = RUN_LOOKS[state];
  return durationMs === null ? name : words.tasks.bar(name, durationWords(durationMs));
}

function labelOf(runs: readonly BarRun[]): string {
  if (runs.length === 0) return words.tasks.noRuns;
  const counts = countsOf(runs).map(([state, count]) => `${count} ${RUN_LOOKS[state].words}`);
  return words.tasks.bars(runs.length, counts.join(', '), durationWords(longestOf(runs)));
}

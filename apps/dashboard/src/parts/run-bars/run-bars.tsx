import { useNavigate } from '@tanstack/react-router';
import { type MouseEvent, memo } from 'react';
import { runPath, toRun } from '../../links.ts';
import { RUN_LOOKS } from '../../states.ts';
import { durationWords } from '../../time/durations.ts';
import { words } from '../../words/index.ts';
import { toneClass } from '../tones.ts';
import { type Bar, type BarRun, barsOf, countsOf, longestOf, MOST_BARS, PITCH, TALLEST } from './bars.ts';
import styles from './run-bars.module.css';

const WIDTH = MOST_BARS * PITCH - 2;
const BAR = PITCH - 2;
/** Below the bars is a strip for marks. */
const MARKS = 7;

/** The latest runs of a task as bars: how long each took, and how it went. Each leads to its run. */
export const RunBars = memo(function RunBars({ runs }: { runs: readonly BarRun[] }) {
  const navigate = useNavigate();
  const onOpen = (event: MouseEvent, id: string) => {
    // With a key held, the browser opens it where it is wanted.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void navigate(toRun(id));
  };
  return (
    <>
      <span className="unseen">{labelOf(runs)}</span>
      {/* In words it stands above. By keyboard its runs are reached from the page of the task: 30 stops a row are no help. */}
      <svg className={styles.bars} width={WIDTH} height={TALLEST + MARKS} aria-hidden="true" focusable="false">
        {barsOf(runs).map((bar) => (
          <a
            key={bar.run.id}
            href={runPath(bar.run.id)}
            tabIndex={-1}
            className={`${styles.bar} ${toneClass(bar.tone)}`}
            onClick={(event) => onOpen(event, bar.run.id)}
          >
            <title>{titleOf(bar.run)}</title>
            <rect className={styles.area} x={bar.x - 1} y={0} width={PITCH} height={TALLEST + MARKS} />
            <Drawn bar={bar} />
          </a>
        ))}
      </svg>
    </>
  );
});

function Drawn({ bar: { shape, x, height } }: { bar: Bar }) {
  const y = TALLEST - height;
  const [left, right, top, bottom] = [x + 0.5, x + BAR - 0.5, TALLEST + 2, TALLEST + MARKS - 1];
  switch (shape) {
    case 'gap':
      return <path className={styles.line} d={`M${x} ${bottom - 1.5}h${BAR}`} />;
    case 'hollow':
      return <rect className={styles.line} x={left} y={TALLEST - 7.5} width={BAR - 1} height={7} />;
    case 'open':
      return <path className={styles.line} d={`M${left} ${TALLEST}V4M${right} ${TALLEST}V4`} />;
    case 'crossed':
      return (
        <>
          <rect className={styles.full} x={x} y={y} width={BAR} height={height} />
          <path className={styles.mark} d={`M${left} ${top}L${right} ${bottom}M${right} ${top}L${left} ${bottom}`} />
        </>
      );
    case 'dotted':
      return (
        <>
          <rect className={styles.full} x={x} y={y} width={BAR} height={height} />
          <circle className={styles.full} cx={x + BAR / 2} cy={(top + bottom) / 2} r={1.8} />
        </>
      );
    case 'solid':
      return <rect className={styles.full} x={x} y={y} width={BAR} height={height} />;
  }
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

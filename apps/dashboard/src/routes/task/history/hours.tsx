import { memo } from 'react';
import { ShapeMark } from '../../../parts/shape.tsx';
import { shortDay } from '../../../words/day-words.ts';
import { words } from '../../../words/index.ts';
import { CellLink } from './cell-link.tsx';
import type { GridProps } from './days.tsx';
import styles from './history.module.css';
import { type Cell, hoursOf, lookOf } from './outcomes.ts';

const { taskHistory: text } = words;

/** A day a row, its hours beside each other; on a narrow screen twelve a row. */
export const Hours = memo(function Hours({ items, task, zone, today }: GridProps) {
  const days = hoursOf(items, { zone, today });
  const [first = []] = days;
  return (
    <div className={styles.hourRows} aria-hidden="true">
      <div className={styles.hourRow}>
        <span />
        <div className={styles.hours}>
          {first.map(({ hour }) => (
            <span key={hour} className={styles.head}>
              {text.hour(hour)}
            </span>
          ))}
        </div>
      </div>
      {days.map((hours) => (
        <div key={hours[0]?.date} className={styles.hourRow}>
          <span className={styles.label}>{shortDay(hours[0]?.date ?? today)}</span>
          <div className={styles.hours}>
            {hours.map((cell) => (
              <Hour key={cell.hour} cell={cell} task={task} />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
});

function Hour({ cell: { date, hour, outcomes }, task }: { cell: Required<Cell>; task: string }) {
  if (outcomes === null) return <span className={styles.hour} />;
  return (
    <CellLink task={task} when={text.hourOf(date, hour)} of={outcomes} className={styles.hour ?? ''}>
      <ShapeMark shape={lookOf(outcomes).look.shape} size={12} />
    </CellLink>
  );
}

import { memo } from 'react';
import { ShapeMark } from '../../../parts/shape.tsx';
import { dayWords, shortDay, WEEKDAYS } from '../../../words/day-words.ts';
import { words } from '../../../words/index.ts';
import { CellLink } from './cell-link.tsx';
import styles from './history.module.css';
import { allOf, type Cell, lookOf, type Outcomes, weeksOf } from './outcomes.ts';

export interface GridProps {
  items: readonly Outcomes[];
  task: string;
  zone: string;
  today: string;
}

/** A week a row, Monday first. */
export const Days = memo(function Days({ items, task, zone, today }: GridProps) {
  return (
    <div className={styles.days} aria-hidden="true">
      {WEEKDAYS.map((name) => (
        <span key={name} className={styles.head}>
          {name.slice(0, 3)}
        </span>
      ))}
      {weeksOf(items, { zone, today })
        .flat()
        .map((cell, index) => (
          <Day
            key={cell.date}
            cell={cell}
            task={task}
            isToday={cell.date === today}
            isNamed={index === 0 || cell.date.endsWith('-01')}
          />
        ))}
    </div>
  );
});

interface DayProps {
  cell: Cell;
  task: string;
  isToday: boolean;
  /** With its month. */
  isNamed: boolean;
}

function Day({ cell: { date, outcomes }, task, isToday, isNamed }: DayProps) {
  const place = `${styles.day} ${isToday ? styles.today : ''}`;
  const number = <span className={styles.date}>{isNamed ? shortDay(date).slice(4) : Number(date.slice(8))}</span>;
  if (outcomes === null) return <span className={place}>{number}</span>;
  const { look, count } = lookOf(outcomes);
  const all = allOf(outcomes);
  return (
    <CellLink task={task} when={dayWords(date)} of={outcomes} className={place}>
      {number}
      <span className={styles.mark}>
        <ShapeMark shape={look.shape} size={12} />
        {count.toLocaleString('en')}
      </span>
      <span className={styles.of}>{count === all ? null : words.taskHistory.of(all)}</span>
    </CellLink>
  );
}

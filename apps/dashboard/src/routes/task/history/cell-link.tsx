import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { runsIn, toRuns } from '../../../links.ts';
import { toneClass } from '../../../parts/tones.ts';
import { words } from '../../../words/index.ts';
import styles from './history.module.css';
import { lookOf, type Outcomes } from './outcomes.ts';

/** The runs of a task that were due in a piece of time. */
export const toRunsIn = (task: string, piece: Pick<Outcomes, 'from' | 'to'>) => toRuns(runsIn('task', task, piece));

interface CellLinkProps {
  task: string;
  when: string;
  of: Omit<Outcomes, 'p50Ms' | 'p95Ms' | 'p99Ms'>;
  className: string;
  children: ReactNode;
}

/** A cell of a grid; it leads to its runs. By keyboard these are reached from the table below. */
export function CellLink({ task, when, of, className, children }: CellLinkProps) {
  const { look } = lookOf(of);
  return (
    <Link
      {...toRunsIn(task, of)}
      tabIndex={-1}
      preload={false}
      className={`${className} ${toneClass(look.tone)} ${look.hollow ? styles.hollow : styles.full}`}
      title={words.taskHistory.cell(when, of)}
    >
      {children}
    </Link>
  );
}

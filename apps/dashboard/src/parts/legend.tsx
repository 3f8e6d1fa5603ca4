import type { ReactNode } from 'react';
import styles from './legend.module.css';

/** A sample of what is in a picture, and what it means. */
export interface LegendKey {
  sample: ReactNode;
  said: string;
}

/** What the marks of a picture mean. Readers of screens have the table below it. */
export function Legend({ keys }: { keys: readonly LegendKey[] }) {
  return (
    <p className={styles.legend} aria-hidden="true">
      {keys.map(({ sample, said }) => (
        <span key={said} className={styles.key}>
          {sample}
          {said}
        </span>
      ))}
    </p>
  );
}

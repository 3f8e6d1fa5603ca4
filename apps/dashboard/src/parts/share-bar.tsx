import { Progress } from '@mantine/core';
import styles from './share-bar.module.css';

/** How far something is, from 0 to 100; the label says it in words. */
export function ShareBar({ percent, label }: { percent: number; label: string }) {
  return <Progress className={styles.bar ?? ''} value={percent} aria-label={label} size="sm" />;
}

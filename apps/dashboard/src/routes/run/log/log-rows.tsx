import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { words } from '../../../words/index.ts';
import styles from './log.module.css';
import type { LogLine } from './log-lines.ts';

interface LogRowsProps {
  lines: readonly LogLine[];
  wrap: boolean;
  /** The end is kept in sight. */
  tail: boolean;
  /** The line to show, by its place among these. */
  goTo: number | null;
  onScrollUp: () => void;
}

const LINE = 20;
/** So few lines need no height of their own. */
const FEW = 18;

/** Lines of one height, of which those in sight are there: a log of 100,000 scrolls as one of ten. Wrapped lines are measured. */
export function LogRows({ lines, wrap, tail, goTo, onScrollUp }: LogRowsProps) {
  const parent = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => parent.current,
    estimateSize: () => LINE,
    overscan: 20,
  });
  const { length } = lines;
  useEffect(() => {
    if (tail && length > 0) rows.scrollToIndex(length - 1, { align: 'end' });
  }, [tail, length, rows]);
  useEffect(() => {
    if (goTo !== null) rows.scrollToIndex(goTo, { align: 'center' });
  }, [goTo, rows]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: wrapped lines have other heights.
  useEffect(() => rows.measure(), [wrap]);
  return (
    <div
      ref={parent}
      className={`${styles.lines} ${wrap ? styles.wrap : ''} ${length <= FEW && !wrap ? styles.small : ''}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
      tabIndex={0}
      role="log"
      aria-label={words.run.log}
      aria-live="off"
      onWheel={(event) => {
        if (event.deltaY < 0 && tail) onScrollUp();
      }}
    >
      <div className={styles.space} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, key }) => {
          const line = lines[index];
          if (!line) return null;
          return (
            <div
              key={key}
              ref={wrap ? rows.measureElement : undefined}
              data-index={index}
              data-level={line.level ?? undefined}
              className={styles.line}
              style={{ transform: `translateY(${start}px)` }}
            >
              <span className={styles.number}>{line.at + 1}</span>
              <span className={styles.text}>{line.text}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

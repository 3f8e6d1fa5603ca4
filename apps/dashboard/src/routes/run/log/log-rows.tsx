import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { words } from '../../../words/index.ts';
import styles from './log.module.css';
import type { LogLine } from './log-lines.ts';

/** A line to show: its place among those that are shown, and its number. Another object shows it once more. */
export interface GoTo {
  place: number;
  at: number;
}

interface LogRowsProps {
  lines: readonly LogLine[];
  wrap: boolean;
  /** The end is kept in sight. */
  tail: boolean;
  goTo: GoTo | null;
  /** By scrolling, in whatever way: to the end, which is followed from there on, or away from it. */
  onTail: (tail: boolean) => void;
}

const LINE = 20;
/** So few lines need no height of their own. */
const FEW = 18;

/** Lines of one height, of which those in sight are there: a log of 100,000 scrolls as one of ten. Wrapped lines are measured. */
export function LogRows({ lines, wrap, tail, goTo, onTail }: LogRowsProps) {
  const parent = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => parent.current,
    estimateSize: () => LINE,
    overscan: 20,
  });
  const { length } = lines;
  const top = useRef(0);
  const onScroll = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement) => {
    const isUp = scrollTop < top.current;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < LINE;
    top.current = scrollTop;
    // Lines that have just come are below the end that was scrolled to: only who goes up leaves it.
    if (isAtEnd !== tail && (isAtEnd || isUp)) onTail(isAtEnd);
  };
  /** By ourselves, at once: a browser that still moves to the start may let go of the key that asks for the end. */
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key !== 'Home' && event.key !== 'End') return;
    event.preventDefault();
    onTail(event.key === 'End');
    if (event.key === 'Home') rows.scrollToOffset(0);
    else rows.scrollToIndex(length - 1, { align: 'end' });
  };
  useEffect(() => {
    if (tail && length > 0) rows.scrollToIndex(length - 1, { align: 'end' });
  }, [tail, length, rows]);
  useEffect(() => {
    if (goTo !== null) rows.scrollToIndex(goTo.place, { align: 'center' });
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
      onKeyDown={onKeyDown}
      onScroll={(event) => onScroll(event.currentTarget)}
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

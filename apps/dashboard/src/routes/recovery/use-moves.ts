import { useLayoutEffect, useRef, useState } from 'react';
import { words } from '../../words/index.ts';
import { MOST_ORDERED, placedAt } from './order.ts';
import type { Move } from './place-handle.tsx';

const { recovery: text } = words;

/** What came of a move. */
export interface Said {
  words: string;
  /** It was not done. */
  isRefused: boolean;
}

const done = (words: string): Said => ({ words, isRefused: false });

/** The order of tasks, and how somebody changes it. */
export interface Ordering {
  order: readonly string[];
  onOrder: (order: readonly string[]) => void;
}

const BY: Readonly<Record<Exclude<Move, 'top'>, number>> = { up: -1, down: 1 };

/** Moves of tasks among all, which are given by name as they go on. What is moved keeps the focus, and it is said where it is now. */
export function useMoves(all: readonly string[], { order, onOrder }: Ordering) {
  const [said, setSaid] = useState(done(''));
  const moved = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (moved.current === null) return;
    document.querySelector<HTMLElement>(`[data-handle="${CSS.escape(moved.current)}"]`)?.focus();
    moved.current = null;
  });
  const moveTo = (name: string, at: number) => {
    const next = placedAt(all, order, { name, at });
    if (next.length > MOST_ORDERED) return setSaid({ words: text.tooManyOrdered(MOST_ORDERED), isRefused: true });
    moved.current = name;
    onOrder(next);
    setSaid(done(text.moved(name, at + 1, all.length)));
  };
  const present = new Set(all);
  return {
    said,
    /** So many of the first ones are in the order. */
    ordered: order.filter((name) => present.has(name)).length,
    moveTo,
    move: (name: string, move: Move) => moveTo(name, move === 'top' ? 0 : all.indexOf(name) + BY[move]),
    reset() {
      onOrder([]);
      setSaid(done(text.orderIsReset));
    },
  };
}

/** How many of the tasks are in the order, which are the first ones, and how many there are. */
export interface Among {
  ordered: number;
  all: number;
}

/**
 * Moves that lead nowhere from a place (from 0 on). The first task can still be put at the top while it is not in the order: it comes before
 * the others then, whatever their age.
 */
export function idleMoves(at: number, { ordered, all }: Among): Move[] {
  return [
    ...(at === 0 && ordered > 0 ? ['top' as const] : []),
    ...(at === 0 ? ['up' as const] : []),
    ...(at === all - 1 ? ['down' as const] : []),
  ];
}

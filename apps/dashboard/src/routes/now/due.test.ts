import { expect, test } from 'vitest';
import { MINUTE } from '../../time/durations.ts';
import { dueSoon } from './due.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const inMinutes = (minutes: number) => new Date(NOW + minutes * MINUTE).toISOString();
/** A task with an occurrence in so many minutes, that starts in so many; null: it does not start. */
const task = (name: string, occurs: number, starts: number | null = occurs) => ({
  name,
  nextRunAt: inMinutes(occurs),
  nextStartAt: starts === null ? null : inMinutes(starts),
});
const soon = (items: ReturnType<typeof task>[], next: string | null = null) => {
  const { due, isCut } = dueSoon({ items, next }, NOW);
  return { names: due.map(({ name }) => name), isCut };
};

test('a task that is frozen, or in the shadow of cron, is not said to start; one whose pause ends starts after it', () => {
  const items = [
    task('frozen', 1, null),
    task('paused-for-now', 2, 50),
    task('often', 5),
    task('paused-for-long', 6, 90),
  ];
  expect(soon(items)).toEqual({ names: ['often', 'paused-for-now'], isCut: false });
});

test('of a page that ends within the hour it is said that there may be more', () => {
  expect(soon([task('a', 5), task('b', 59)], 'more').isCut).toBe(true);
  expect(soon([task('a', 5), task('b', 60)], 'more')).toEqual({ names: ['a'], isCut: false });
  expect(soon([task('a', 5)]).isCut).toBe(false);
});

test('where nothing of such a page starts, there may still be others', () => {
  expect(soon([task('frozen', 5, null)], 'more')).toEqual({ names: [], isCut: true });
});

import type { Share } from '../routes/task/history/series.ts';

const SHARES: Readonly<Record<Share, string>> = { p50: 'p50', p95: 'p95', p99: 'p99' };

export const taskDurations = {
  title: 'How long it takes',
  note: (weeks: number) => `by day, ${weeks} weeks`,
  none: 'No run of that time has taken its time and ended.',
  most: (duration: string) => `up to ${duration}`,
  shares: SHARES,
  meaning: 'p95: 95 % of the runs of a day took at most so long.',
  day: (day: string, p50: string, p95: string, p99: string) => `${day}: p50 ${p50}, p95 ${p95}, p99 ${p99}`,
  table: 'How long runs took, by day',
  column: { day: 'Day', ...SHARES },
};

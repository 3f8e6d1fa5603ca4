import { DAY } from '../../time/durations.ts';

/** After how long a token ends that a person makes. */
export const LIVES = ['week', 'month', 'quarter', 'year', 'never'] as const;

export type Life = (typeof LIVES)[number];

/** As the API takes it; null: it has no end. */
export const LIFE_MS: Readonly<Record<Life, number | null>> = {
  week: 7 * DAY,
  month: 30 * DAY,
  quarter: 90 * DAY,
  year: 365 * DAY,
  never: null,
};

export const PAUSE_CHOICES = ['never', 'hour', 'day', 'week', 'at'] as const;

export type PauseChoice = (typeof PAUSE_CHOICES)[number];

const HOUR = 3_600_000;
const SPANS: Readonly<Record<'hour' | 'day' | 'week', number>> = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR };

/** When a pause ends, as the API takes it. Undefined: the instant is still to be given. */
export function pauseEnd(choice: PauseChoice, at: string, now: number): string | null | undefined {
  if (choice === 'never') return null;
  if (choice !== 'at') return new Date(now + SPANS[choice]).toISOString();
  // A field of the browser: without a zone, so in that of the browser.
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

import { DAY, HOUR, SECOND } from './clock.ts';

/** Milliseconds for people: `1.5 s`, `20 min`, `26 h`, from three days on `3.5 d`. */
export function formatSpan(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 60 * SECOND) return `${trim(ms / SECOND)} s`;
  if (ms < HOUR) return `${trim(ms / (60 * SECOND))} min`;
  return ms < 3 * DAY ? `${trim(ms / HOUR)} h` : `${trim(ms / DAY)} d`;
}

function trim(value: number): string {
  return String(Math.round(value * 10) / 10);
}

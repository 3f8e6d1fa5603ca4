import { DAY, HOUR, MINUTE, SECOND } from './clock.ts';

/** An instant as `2026-03-29T01:00:00Z`, milliseconds only where there are any. */
export function inUtc(at: Date): string {
  return at.toISOString().replace('.000Z', 'Z');
}

/** A count with what is counted: `1 run`, `3 runs`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `a, b, c and 97 more`. `most`: names that are said, default 5. */
export function briefly(names: readonly string[], most = 5): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more.toLocaleString('en-US')} more` : names.join(', ');
}

const UNITS = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
] as const;

/** A span in the two largest units that say something: `35 ms`, `1.2 s`, `2 min 5 s`, `3 d 4 h`. */
export function span(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${Number((ms / SECOND).toFixed(ms < 10 * SECOND ? 1 : 0))} s`;
  const first = UNITS.findIndex(([unit]) => ms >= unit);
  const [unit, name] = UNITS[first] ?? [SECOND, 's'];
  const [lesser, lesserName] = UNITS[first + 1] ?? [SECOND, 's'];
  const rest = Math.floor((ms % unit) / lesser);
  return `${Math.floor(ms / unit)} ${name}${rest === 0 ? '' : ` ${rest} ${lesserName}`}`;
}

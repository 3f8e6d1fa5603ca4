import { DAY, EscapementError, HOUR, MINUTE, SECOND } from '@escapement/core';

const UNIT_MS: Record<string, number> = { ms: 1, s: SECOND, m: MINUTE, min: MINUTE, h: HOUR, d: DAY };

/** Reads a rate as people type it: `100/1s`, `100/s`, `500/10m`. Throws `bad_rate`. */
export function readRate(text: string): { limit: number; perMs: number } {
  const [, limit, count, unit = ''] = /^(\d+)\s*\/\s*(\d+(?:\.\d+)?)?\s*(ms|s|m|min|h|d)$/.exec(text) ?? [];
  if (limit !== undefined) return { limit: Number(limit), perMs: Number(count ?? 1) * (UNIT_MS[unit] ?? 0) };
  throw new EscapementError('bad_rate', `--rate is "${text}"`, {
    fix: 'give how many may start within how long, such as 100/1s, 10/m, 500/10m; or none',
  });
}

import type { components } from '../../api/generated/openapi.ts';
import { HOUR } from '../../time/durations.ts';

type Hours = components['schemas']['ErrorGroup']['hours'];

const MOST = 48;

/** So many failures in a piece of the time that is looked at. */
export interface Bin {
  fromMs: number;
  count: number;
}

/** The time up to now in equal pieces of whole hours, at most 48, each with its failures. The last one has the hour of now. */
export function binsOf(hours: Hours, { spanMs, now }: { spanMs: number; now: number }): Bin[] {
  const inSpan = Math.max(1, Math.round(spanMs / HOUR)) + 1;
  const widthMs = Math.ceil(inSpan / MOST) * HOUR;
  const bins = Math.ceil((inSpan * HOUR) / widthMs);
  const endMs = (Math.floor(now / HOUR) + 1) * HOUR;
  const firstMs = endMs - bins * widthMs;
  const counts = new Map<number, number>();
  for (const { at, count } of hours) {
    const bin = Math.min(bins - 1, Math.floor((Date.parse(at) - firstMs) / widthMs));
    if (bin >= 0) counts.set(bin, (counts.get(bin) ?? 0) + count);
  }
  return Array.from({ length: bins }, (_, bin) => ({ fromMs: firstMs + bin * widthMs, count: counts.get(bin) ?? 0 }));
}

import { SECOND } from '@escapement/core';

/** The occurrences after the first instant up to the second one, in epoch milliseconds. */
export type DueTimes = (fromMs: number, toMs: number) => number[];

/** Points of a grid that is counted from the Unix epoch. */
export function everyGrid(everyMs: number, phaseMs = 0): DueTimes {
  return (fromMs, toMs) => {
    const due: number[] = [];
    for (let point = 0; ; point += 1) {
      const atMs = (Math.floor((fromMs - phaseMs) / everyMs) + point) * everyMs + phaseMs;
      if (atMs > toMs) return due;
      if (atMs > fromMs) due.push(atMs);
    }
  };
}

/** Each whole second whose place in its minute fits. Zones differ by whole minutes, so that none matters. */
export function everySecond(fits: (secondOfMinute: number) => boolean): DueTimes {
  return (fromMs, toMs) => {
    const due: number[] = [];
    for (let second = Math.floor(fromMs / SECOND); second * SECOND <= toMs; second += 1)
      if (second * SECOND > fromMs && fits(second % 60)) due.push(second * SECOND);
    return due;
  };
}

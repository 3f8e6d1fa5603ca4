/** Sixty flags: 0 to 29 in `low`, 30 to 59 in `high`. */
export interface Sixty {
  low: number;
  high: number;
}

/** Times of a day: each matching second of each matching minute of each matching hour. */
export interface DayTimes {
  second: Sixty;
  minute: Sixty;
  /** Bits 0 to 23. */
  hour: number;
  /** Seconds since midnight of the first of them. */
  firstTime: number;
}

/** The lists are ascending and not empty. */
export function dayTimes(hours: readonly number[], minutes: readonly number[], seconds: readonly number[]): DayTimes {
  return {
    second: sixty(seconds),
    minute: sixty(minutes),
    hour: flags(hours),
    firstTime: ((hours[0] ?? 0) * 60 + (minutes[0] ?? 0)) * 60 + (seconds[0] ?? 0),
  };
}

export function flags(values: readonly number[]): number {
  return values.reduce((mask, value) => mask | (1 << value), 0);
}

function sixty(values: readonly number[]): Sixty {
  return {
    low: flags(values.filter((value) => value < 30)),
    high: flags(values.filter((value) => value >= 30).map((value) => value - 30)),
  };
}

/** The first of the times at or after `time`, both in seconds since midnight, or -1. */
export function nextTime(times: DayTimes, time: number): number {
  const hour = Math.trunc(time / 3600);
  if (times.hour & (1 << hour)) {
    const minute = Math.trunc((time % 3600) / 60);
    if (hasBit(times.minute, minute)) {
      const second = nextBit(times.second, time % 60);
      if (second >= 0) return time - (time % 60) + second;
    }
    const later = nextBit(times.minute, minute + 1);
    if (later >= 0) return hour * 3600 + later * 60 + (times.firstTime % 60);
  }
  const laterHours = times.hour & (-2 << hour);
  return laterHours === 0 ? -1 : lowestBit(laterHours) * 3600 + (times.firstTime % 3600);
}

function hasBit({ low, high }: Sixty, bit: number): boolean {
  return bit < 30 ? (low & (1 << bit)) !== 0 : (high & (1 << (bit - 30))) !== 0;
}

function nextBit({ low, high }: Sixty, from: number): number {
  // Equivalent mutant (border): the low half has no bit from 30 on: the search goes on at the first of the high half.
  if (from < 30) {
    const rest = low & (-1 << from);
    if (rest !== 0) return lowestBit(rest);
  }
  const rest = from > 30 ? high & (-1 << (from - 30)) : high;
  return rest === 0 ? -1 : lowestBit(rest) + 30;
}

/** The number of the lowest flag of a mask that has one. */
export function lowestBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}

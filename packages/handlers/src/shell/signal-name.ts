import { constants } from 'node:os';

const NAMES = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));
/** Of Linux with glibc, where the kernel's first two are kept for threads. */
const FIRST_REAL_TIME = 34;
const LAST = 64;

/** `SIGTERM`, `SIGRTMIN+3`; a number that no system gives a name is `signal 33`. Undefined: no signal has this number. */
export function signalName(number: number): string | undefined {
  const name = NAMES.get(number);
  if (name !== undefined || !Number.isInteger(number) || number < 1 || number > LAST) return name;
  if (number < FIRST_REAL_TIME) return `signal ${number}`;
  return number === FIRST_REAL_TIME ? 'SIGRTMIN' : `SIGRTMIN+${number - FIRST_REAL_TIME}`;
}

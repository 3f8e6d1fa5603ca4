import { EscapementError } from '@escapement/core';

/** Longest list, and highest number: a crontab may have 16 MiB. */
const MOST = 100_000;

/** Lines of a file by their numbers, from 1 on: `3,7-9`. Throws `bad_lines`. */
export function readLines(text: string): number[] {
  const numbers = text.split(',').flatMap((part) => rangeOf(part.trim()) ?? refuse(part.trim()));
  return [...new Set(numbers)].sort((one, other) => one - other);
}

function rangeOf(part: string): number[] | undefined {
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (!(from >= 1 && from <= to && to <= MOST)) return undefined;
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function refuse(part: string): never {
  throw new EscapementError('bad_lines', `--lines has "${part}"`, {
    fix: `give numbers of lines and ranges, from 1 to ${MOST}, as in 3,7-9`,
  });
}

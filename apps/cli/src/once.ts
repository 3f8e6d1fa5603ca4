import { EscapementError } from '@escapement/core';
import type { Command, Option } from 'commander';

type Read = (text: string, before: never) => unknown;

const repeating = new WeakSet<object>();

/** Marks the reader of an option that may be given several times: it adds to what it has read before. */
export function repeats<Reader extends Read>(read: Reader): Reader {
  repeating.add(read);
  return read;
}

/** Has every option of a program and its commands that takes one value refuse a second one: the first would be dropped without a word. */
export function refuseTwice(command: Command): void {
  for (const option of command.options) if (takesOne(option)) countValues(command, option);
  for (const each of command.commands) refuseTwice(each);
}

/** Whether a second value would take the place of the first. */
export function takesOne({ required, optional, variadic, parseArg }: Option): boolean {
  return (required || optional) && !variadic && !(parseArg && repeating.has(parseArg));
}

function countValues(command: Command, option: Option): void {
  let first: string | undefined;
  command.on(`option:${option.name()}`, (value: string | null) => {
    const given = value ?? '';
    if (first !== undefined)
      throw new EscapementError('bad_usage', `${option.long} is given twice: "${first}" and "${given}"`, {
        fix: 'give it once',
      });
    first = given;
  });
}

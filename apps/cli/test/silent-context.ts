import { systemClock } from '@escapement/core';
import type { Context } from '../src/context.ts';
import { createOutput } from '../src/output/print.ts';

const nowhere = { write: () => true };

/** For a program whose commands are looked at, and not run. */
export const silentContext: Context = {
  output: createOutput({ stdout: nowhere, stderr: nowhere }),
  env: {},
  cwd: '/',
  clock: systemClock,
  stdin: async () => '',
  interruptible: () => new AbortController().signal,
};

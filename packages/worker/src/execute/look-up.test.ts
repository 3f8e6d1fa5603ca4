import type { RunSketch } from '@escapement/store';
import { expect, test } from 'vitest';
import { lookUp, PREPARE_MS, PREPARE_TOGETHER_MS } from './look-up.ts';

const RUN: RunSketch = {
  runId: 'r',
  scheduledFor: new Date(0),
  state: 'queued',
  dispatch: 1,
  attempt: 0,
  taskId: 't',
  taskVersion: 1,
  key: 'k',
  keyLimit: 1,
  overlap: 'skip',
  inBatch: false,
  misfired: false,
  earlyMs: 0,
  behind: false,
  slot: null,
  rated: false,
  need: null,
  elsewhere: false,
};

/** How often a run is looked up that is due in so many milliseconds, and how long is waited for it. */
async function looks(first: Partial<RunSketch>): Promise<{ looks: number; waitedMs: number[] }> {
  const waitedMs: number[] = [];
  const answers = [{ ...RUN, ...first }];
  let looks = 0;
  await lookUp(
    { runId: 'r', queue: 'q', dispatch: 1, releasePlace: () => undefined },
    {
      ledger: {
        async lookUp() {
          looks += 1;
          return answers.shift() ?? RUN;
        },
        lookUpRepeat: async () => null,
      },
      waits: { wait: async (ms) => void waitedMs.push(ms) },
      emit: () => undefined,
    },
  );
  return { looks, waitedMs };
}

const TOGETHER_MS = PREPARE_MS + PREPARE_TOGETHER_MS;

test('a run that is looked up with those of its stretch is waited for, and begun by what was read', async () => {
  expect(await looks({ earlyMs: TOGETHER_MS })).toEqual({ looks: 1, waitedMs: [TOGETHER_MS] });
});

test.each<[string, Partial<RunSketch>]>([
  ['was looked up earlier', { earlyMs: TOGETHER_MS + 2 }],
  ['is under a rate, whose tokens may be gone', { earlyMs: PREPARE_MS + 1, rated: true }],
  ['has its turn in the order of its key', { earlyMs: 1, overlap: 'wait-all' }],
])('a run is looked up again when it is due if it %s', async (_, first) => {
  expect(await looks(first)).toEqual({ looks: 2, waitedMs: [first.earlyMs] });
});

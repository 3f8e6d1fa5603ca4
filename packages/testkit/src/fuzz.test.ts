import { EscapementError } from '@escapement/core';
import { expect, test } from 'vitest';
import { fuzz } from './fuzz.ts';

const options = { inputs: 2000, seed: 7 };
const target = { corpus: ['abc'], words: ['x'] };

test('the same seed tries the same inputs', async () => {
  const [first, second]: string[][] = [[], []];
  await fuzz({ ...target, run: (input) => first?.push(input) }, options);
  await fuzz({ ...target, run: (input) => second?.push(input) }, options);
  // One that was slow, as where the machine is busy, is tried once more.
  expect(first?.length).toBeGreaterThanOrEqual(2000);
  const inputs = new Set(first);
  expect(inputs.size).toBeGreaterThan(1000);
  expect([...new Set(second)]).toEqual([...inputs]);
});

test('a crash is found, and a refusal is none', async () => {
  const run = (input: string) => {
    if (input.includes('__proto__')) throw new TypeError('boom');
    throw new EscapementError('not_allowed', 'no');
  };
  const [finding] = await fuzz({ ...target, run }, options);
  expect(finding).toMatchObject({ input: expect.stringContaining('__proto__'), what: expect.stringContaining('boom') });
});

test('an input that takes too long is found', async () => {
  const busyMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  // Other threads of this process are busy as well.
  const run = () => {
    const [busyUntilMs, untilMs] = [busyMs() + 60, performance.now() + 60];
    while (busyMs() < busyUntilMs || performance.now() < untilMs);
  };
  expect(await fuzz({ corpus: ['a'], words: [], run }, { inputs: 1, seed: 1 })).toEqual([
    { input: 'a', what: expect.stringMatching(/^takes \d+ ms/) },
  ]);
});

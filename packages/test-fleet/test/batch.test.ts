import { HOUR } from '@escapement/core';
import { defineTask } from '@escapement/sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { testFleet } from './fleet.ts';

const photo = defineTask({
  name: 'photo',
  payload: z.object({ url: z.string() }),
  retry: { maxAttempts: 2, backoff: { kind: 'fixed', delayMs: 1 * HOUR } },
  run({ url }, ctx) {
    if (url === 'u3' && ctx.run.attempt === 1) throw new Error('503');
    return url.toUpperCase();
  },
});

const zip = defineTask({
  name: 'zip',
  payload: z.object({ batchId: z.string(), succeeded: z.int() }).loose(),
  async run({ batchId }, ctx) {
    const names: unknown[] = [];
    for await (const { output } of ctx.batch(batchId).results()) names.push(output);
    return names;
  },
});

const album = defineTask({
  name: 'album',
  async run(_, ctx) {
    const urls = Array.from({ length: 5 }, (__, index) => ({ url: `u${index}` }));
    await ctx.fanOut(photo, urls, { concurrency: 2, join: 'zip' });
  },
});

const fleet = await testFleet({ tasks: [photo, zip, album] });

test('a batch goes on as far as it can, and is joined when its last run has been tried again', async () => {
  expect(await fleet.trigger(album)).toMatchObject({ state: 'succeeded' });
  expect((await fleet.runs(photo)).map(({ state }) => state).sort()).toEqual([
    'retrying',
    ...Array.from({ length: 4 }, () => 'succeeded'),
  ]);
  expect(await fleet.runs(zip)).toEqual([]);
  await fleet.advance('1h');
  expect(await fleet.runs(zip)).toMatchObject([{ state: 'succeeded', output: ['U0', 'U1', 'U2', 'U3', 'U4'] }]);
});

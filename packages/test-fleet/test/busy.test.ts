import { defineTask } from '@escapement/sdk';
import { expect, test } from 'vitest';
import { testFleet } from './fleet.ts';

const endless = defineTask({
  name: 'endless',
  run: (_, { signal }) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
});
const fleet = await testFleet({ tasks: [endless], patienceMs: 300 });

test('a fleet that is not done says with what', async () => {
  const refused = await fleet.trigger(endless).catch((error) => error);
  expect(refused.message).toMatch(
    /^not done within 300 ms: run \S+ of endless is (planned|queued|running), attempt [01]$/,
  );
  expect(refused.code).toBe('fleet_busy');
});

test('time does not pass over it', async () => {
  const before = fleet.now().getTime();
  await expect(fleet.advance('1d')).rejects.toMatchObject({ code: 'fleet_busy' });
  expect(fleet.now().getTime() - before).toBeLessThan(60_000);
});

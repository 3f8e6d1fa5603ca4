import { LEASE_MS, systemClock } from '@escapement/core';
import { activeOn, testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();

it('judges no run of a worker that is gone before its own heartbeats have been heard for as long as a worker may be silent', async () => {
  await fleet.save({ name: 'unheard' });
  await activeOn(fleet.db, 'vanished', 'unheard');
  await fleet.reconcile(fleet.newReconciler(systemClock, LEASE_MS - 1));
  expect(await fleet.runs('unheard')).toMatchObject([{ state: 'running', lost: 0 }]);
  await fleet.reconcile(fleet.newReconciler(systemClock, LEASE_MS));
  expect(await fleet.runs('unheard')).toMatchObject([{ state: 'retrying' }]);
});

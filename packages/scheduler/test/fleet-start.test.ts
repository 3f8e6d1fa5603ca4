import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { triggerFleetStart } from '../src/index.ts';

const fleet = await testFleet();

it('starts what can be started when the fleet comes up, and names what cannot', async () => {
  await fleet.save({ name: 'sound', onFleetStart: true });
  await fleet.save({ name: 'broken', onFleetStart: true });
  await fleet.db.pool.query(
    `UPDATE task SET definition = jsonb_set(definition, '{key}', '"k:{{payload.x}}"') WHERE name = 'broken'`,
  );
  await fleet.db.pool.query('DELETE FROM process');
  const errors: unknown[] = [];
  expect(await triggerFleetStart(fleet.db, 'scheduler-2', (error) => errors.push(error))).toEqual(['sound']);
  expect(errors).toMatchObject([{ code: 'fleet_start_failed', message: expect.stringContaining('broken') }]);
});

it('refuses a key that the payload cannot fill for a task that only runs when the fleet comes up', async () => {
  const saving = fleet.save({ name: 'keyed', onFleetStart: true, key: 'k:{{payload.x}}' });
  await expect(saving).rejects.toMatchObject({ code: 'unknown_key_field' });
});

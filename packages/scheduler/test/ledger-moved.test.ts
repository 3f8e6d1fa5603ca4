import { auditEntries, inspectDatabase } from '@escapement/store';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();

const told = () => fleet.events.filter((event) => event.event === 'ledger_moved');
const moves = () => told().map(({ how }) => how);

it('a ledger that stays where it is has not moved, whatever happens to Redis', async () => {
  await fleet.reconcile();
  await fleet.server.send('FLUSHALL');
  await fleet.reconcile();
  expect(moves()).toEqual([]);
  expect(await inspectDatabase(fleet.db)).toMatchObject({ saysPlace: true, movedAt: null, movedHow: null });
});

const MARKER = 'esc:{default}:marker';

it('a fail-over that lost the row itself shows by what Redis knows, and is told of once', async () => {
  await fleet.reconcile();
  const marker = String(await fleet.server.send('GET', MARKER));
  for (let times = 0; times < 2; times++) {
    await fleet.server.send('SET', MARKER, marker.replace(/\/[0-9A-F]{8}\//, '/00000000/'));
    await fleet.reconcile();
  }
  const from = expect.stringContaining('/00000000/');
  expect(told()).toMatchObject([{ how: 'timeline', from }]);
  expect(await auditEntries(fleet.db, { ledger: 'default' })).toMatchObject([
    { action: 'move', principal: { kind: 'process', name: 'scheduler' }, detail: { how: 'timeline', from } },
  ]);
  expect(await inspectDatabase(fleet.db)).toMatchObject({ movedAt: expect.any(Date), movedHow: 'timeline' });
});

it('a move is told of once, and kept for doctor', async () => {
  await fleet.db.pool.query(`UPDATE queue_watch SET place = '1' || place`);
  await fleet.reconcile();
  await fleet.reconcile();
  expect(moves()).toEqual(['timeline', 'cluster']);
  expect(await inspectDatabase(fleet.db)).toMatchObject({ movedAt: expect.any(Date), movedHow: 'cluster' });
});

it('what Redis knows of a Postgres that had more written shows that its disk was put back', async () => {
  await fleet.reconcile();
  const marker = String(await fleet.server.send('GET', MARKER));
  await fleet.server.send('SET', MARKER, marker.replace(/ [0-9A-F]+\/[0-9A-F]+$/, ' FFFF/0'));
  await fleet.reconcile();
  expect(moves()).toEqual(['timeline', 'cluster', 'back']);
  await fleet.reconcile();
  expect(moves()).toHaveLength(3);
});

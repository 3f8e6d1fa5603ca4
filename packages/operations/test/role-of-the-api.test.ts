import { DAY, HOUR, systemClock } from '@escapement/core';
import { DEFAULT_EGRESS } from '@escapement/core/egress';
import { batchChildren, findTask, listBatches, openDatabase, readBatch } from '@escapement/store';
import { afterFile, asUser, by, testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import {
  askBulk,
  askLedgerVerification,
  createForecastCache,
  examineDatabase,
  filterOfQuery,
  listVerifications,
  planApply,
  previewBulk,
  writeApply,
} from '../src/index.ts';

// What the API does, with the rights that its role has in Postgres, and no others.
const db = openDatabase({ url: asUser((await testDatabase()).url, 'api'), applicationName: 'api' });
afterFile(() => db.close());
const ANN = by('ann', 'a reason');
const now = systemClock.now();

async function apply(names: readonly string[]) {
  const read = names.map((name, place) => ({
    value: { name, handler: { type: 'http', url: 'https://a.example/' } },
    place,
  }));
  const asked = {
    set: 'shop',
    prune: true,
    adopt: false,
    egress: DEFAULT_EGRESS,
    placeWords: String,
    adoptWords: 'adopt',
  };
  await writeApply(db, await planApply(db, { ...asked, read }), ANN);
}

test('documents are applied', async () => {
  await apply(['a', 'b']);
  await apply(['a']);
  expect([await findTask(db, 'a'), await findTask(db, 'b')]).toMatchObject([{ source: 'files:shop' }, null]);
});

test('batches are read', async () => {
  expect(await listBatches(db, { limit: 5 })).toEqual([]);
  const id = '019b0000-0000-7000-8000-000000000000';
  expect(await readBatch(db, id)).toBeNull();
  expect(await batchChildren(db, { id, createdAt: now }, { from: 0, to: 9, limit: 9 })).toEqual([]);
});

test('acts and verifications are asked for', async () => {
  const filter = filterOfQuery('task:a worker:w error:x origin:schedule', { now, timeZone: 'UTC' });
  expect(await previewBulk(db, { action: 'rerun', ...filter })).toMatchObject({ total: 0 });
  await askBulk(db, { action: 'rerun', ...filter }, ANN);
  const id = await askLedgerVerification(db, { from: new Date(now.getTime() - HOUR), to: now }, ANN);
  expect(await listVerifications(db, 5, now)).toMatchObject([{ id, status: { state: 'waiting' } }]);
});

test('the fleet is examined, and forecast', async () => {
  const terms = { clock: systemClock, deadMs: 60_000, maxClockOffsetMs: 500, defaults: { email: [], webhook: [] } };
  const findings = await examineDatabase(db, { ...terms, self: 'this server' });
  expect(findings).toContainEqual({ subject: 'Migrations', level: 'ok', detail: 'up to date' });
  const asked = { from: now, to: new Date(now.getTime() + DAY), pieces: [now], deadMs: 60_000 };
  expect(await createForecastCache().read(db, asked)).toMatchObject({ runs: 0 });
});

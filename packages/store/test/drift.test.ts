import { afterAll, beforeEach, expect, it } from 'vitest';
import { readDrift, recordDrift } from '../src/index.ts';
import { ago, MINUTE, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

beforeEach(() => one.pool.query('DELETE FROM drift'));

it('keeps of each kind what the last pass found, and how many were found ever', async () => {
  await recordDrift(one, { overwaited: 2, dead_slot: 5 });
  await recordDrift(one, { overwaited: 3 });
  expect(await readDrift(one)).toMatchObject([
    { kind: 'dead_slot', found: 5, total: 5n },
    { kind: 'overwaited', found: 3, total: 5n },
  ]);
});

it('says when some were last found', async () => {
  await recordDrift(one, { overwaited: 1, dead_slot: 1 });
  await one.pool.query(`UPDATE drift SET found_at = now() - interval '1 day'`);
  await recordDrift(one, { overwaited: 1 });
  const [slots, waits] = (await readDrift(one)).map(({ foundAt }) => foundAt.getTime());
  expect(slots).toBeLessThan(ago(60 * MINUTE).getTime());
  expect(waits).toBeGreaterThan(ago(10 * MINUTE).getTime());
});

it('keeps those of each namespace apart', async () => {
  await recordDrift(one, { overwaited: 2 });
  await recordDrift(other, { overwaited: 7 });
  expect([await readDrift(one), await readDrift(other)]).toMatchObject([[{ total: 2n }], [{ total: 7n }]]);
});

it('a pass without any records none', async () => {
  await recordDrift(one, {});
  expect(await readDrift(one)).toEqual([]);
});

import { queryObjects } from 'node:v8';
import { expect, test } from 'vitest';
import { createHeldLeases, type GrantedLease } from './held-leases.ts';
import { createLeaseMemory, LOST, openLeaseTable, sharedNowMs } from './lease-table.ts';

const HOUR_MS = 3_600_000;

function setUp() {
  const table = openLeaseTable(createLeaseMemory(4));
  const released: [string, string | undefined][] = [];
  const leases = createHeldLeases(table, async ({ holder }, nextRunId) => {
    released.push([holder.runId, nextRunId]);
  });
  return { table, released, leases };
}

function granted(runId: string, changes: Partial<GrantedLease> = {}): GrantedLease {
  return {
    key: 'k',
    redisKey: 'redis k:1',
    owner: `${runId} 1 w `,
    holder: { slot: 1, runId, worker: 'w', dispatch: 1, since: '' },
    deadlineMs: sharedNowMs() + HOUR_MS,
    renewUntilMs: Number.MAX_SAFE_INTEGER,
    ...changes,
  };
}

test('a lease names its key, slot and run, is good as long as its deadline says, and is given back once', async () => {
  const { leases, released } = setUp();
  const lease = leases.hold(granted('a'));
  expect(lease).toMatchObject({ key: 'k', slot: 1, runId: 'a' });
  expect([lease.isValid(), lease.isValidFor(HOUR_MS - 60_000), lease.isValidFor(HOUR_MS + 1)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([leases.counts().held, leases.ofRun('k', 'a')?.runId, leases.ofRun('k', 'b')]).toEqual([1, 'a', undefined]);
  await lease.release('b');
  await lease.release('c');
  expect([leases.counts().held, leases.ofRun('k', 'a'), lease.isValid()]).toEqual([0, undefined, false]);
  expect(released).toEqual([['a', 'b']]);
});

test('who had a slot that was taken again has lost it, and does not give back what is not its own', async () => {
  const { leases, released } = setUp();
  const before = leases.hold(granted('a'));
  const { lost } = before;
  const after = leases.hold(granted('a'));
  expect([lost.aborted, before.isValid(), after.isValid(), leases.counts().held]).toEqual([true, false, true, 1]);
  await before.release();
  expect([released, leases.counts().held, leases.ofRun('k', 'a')?.runId]).toEqual([[], 1, 'a']);
});

test('a look notes that the loop is alive, and tells who lost, and nobody else', () => {
  const { leases, table } = setUp();
  const [good, bad] = [leases.hold(granted('a')), leases.hold(granted('b', { redisKey: 'redis k:2' }))];
  table.set(1, { ...table.word(1), deadlineMs: LOST });
  const beforeMs = sharedNowMs();
  leases.look();
  expect([good.lost.aborted, bad.lost.aborted, bad.lost.reason]).toEqual([false, true, 'lease_lost']);
  expect(table.loopAliveMs()).toBeGreaterThanOrEqual(beforeMs);
  leases.look();
  expect(leases.counts()).toEqual({ held: 2, lost: 1 });
});

test('who asks for the signal only after the loss is told at once', () => {
  const { leases } = setUp();
  const lease = leases.hold(granted('a'));
  leases.abandon();
  expect([lease.lost.aborted, lease.isValid(), leases.ofRun('k', 'a')]).toEqual([true, false, undefined]);
});

test('a hold is limited from now on', () => {
  const { leases, table } = setUp();
  const beforeMs = sharedNowMs();
  leases.hold(granted('a')).limitHold(500);
  expect(table.renewUntilMs(0)).toBeGreaterThanOrEqual(beforeMs + 500);
  expect(table.renewUntilMs(0)).toBeLessThanOrEqual(sharedNowMs() + 500);
});

test('a lease that was given back does not stay in memory', async () => {
  const { leases } = setUp();
  const kind = leases.hold(granted('first')).constructor;
  const kept = () => queryObjects(kind, { format: 'count' });
  const before = kept();
  for (let run = 0; run < 100; run++) await leases.hold(granted(`r${run}`, { redisKey: 'redis k:2' })).release();
  // The one of the last turn may still be on the stack.
  expect(kept() - before).toBeLessThan(50);
});

test('a loss is counted when it is found, and not again', () => {
  const { leases, table } = setUp();
  leases.hold(granted('a'));
  leases.look();
  expect(leases.counts()).toEqual({ held: 1, lost: 0 });
  table.set(0, { ...table.word(0), deadlineMs: LOST });
  for (let look = 0; look < 3; look++) {
    leases.look();
    expect(leases.counts()).toEqual({ held: 1, lost: 1 });
  }
});

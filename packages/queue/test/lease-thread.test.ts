import { eventually } from '@escapement/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLeaseMemory, openLeaseTable, sharedNowMs } from '../src/lease-table.ts';
import { startLeaseThread } from '../src/lease-thread.ts';
import { ownRedis } from './redis-server.ts';
import { renewals } from './support.ts';

/** A thread cannot read such a table, and dies at its start. */
const UNREADABLE = new SharedArrayBuffer(1);

/** A thread on a table of leases, and how often it told of what. */
function aThread(memory: SharedArrayBuffer, url: string, { leaseMs = 1000, maxBlockMs = 1000 } = {}) {
  const heard = { lost: 0, errors: 0, messages: new Set<string>() };
  const thread = startLeaseThread(
    { memory, server: { url }, leaseMs, maxBlockMs, markerKey: 'marker' },
    {
      onLost: () => {
        heard.lost += 1;
      },
      onError: ({ message }) => {
        heard.errors += 1;
        heard.messages.add(message);
      },
    },
  );
  onTestFinished(() => thread.stop());
  return { thread, heard };
}

/** A port on which nobody listens. */
const NOBODY = 'redis://127.0.0.1:1';

/** A table with a lease that stands for an hour unless it is lost, in a process whose main loop is alive. */
function tableWithLease() {
  const table = openLeaseTable(createLeaseMemory(4));
  const nowMs = sharedNowMs();
  table.noteLoopAlive(nowMs);
  const entry = { redisKey: 'k:lease:1', owner: 'run 1 w ', renewUntilMs: nowMs + HOUR_MS };
  table.put(0, entry, { deadlineMs: nowMs + HOUR_MS, generation: 1 });
  return table;
}

const HOUR_MS = 3_600_000;

const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
};

test('a thread that dies is told of, and started again', async () => {
  const { heard } = aThread(UNREADABLE, (await ownRedis()).url);
  await eventually(() => expect(heard.errors).toBeGreaterThanOrEqual(2));
});

/** Holds timers back, and says whether one of a second is there. Other files of tests that ran in this process may have left timers. */
function heldTimers(): { restartIsNear: () => boolean } {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const asked = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => {
    asked.mockRestore();
    vi.useRealTimers();
  });
  return { restartIsNear: () => asked.mock.calls.some(([, delayMs]) => delayMs === 1000) };
}

/** Had another thread been started before, it would have died before two that live one after the other. */
async function untilOthersHaveDied(): Promise<void> {
  for (let others = 0; others < 2; others++) {
    const other = aThread(UNREADABLE, NOBODY);
    await until(() => other.heard.errors > 0);
  }
}

test('a thread that has died is not started again once it was stopped', async () => {
  const { restartIsNear } = heldTimers();
  const { thread, heard } = aThread(UNREADABLE, NOBODY);
  await until(() => heard.errors === 1 && restartIsNear());
  await thread.stop();
  vi.advanceTimersByTime(1000);
  await untilOthersHaveDied();
  expect(heard.errors).toBe(1);
});

test('a lease that the thread finds lost is told of at once', async () => {
  const table = openLeaseTable(createLeaseMemory(4));
  table.put(0, { redisKey: 'k', owner: 'o', renewUntilMs: 1e15 }, { deadlineMs: 1000, generation: 1 });
  const { heard } = aThread(table.memory, (await ownRedis()).url);
  await eventually(() => expect(heard.lost).toBeGreaterThan(0));
});

test('a thread that finds no lease lost tells of none', async () => {
  const { url, client } = await ownRedis();
  await client.set('k:lease:1', 'run 1 w t', 'PX', HOUR_MS);
  const { heard } = aThread(tableWithLease().memory, url, { leaseMs: 6000, maxBlockMs: HOUR_MS });
  await renewals(client, 1);
  expect(heard.lost).toBe(0);
});

test('why leases could not be renewed is told of, and why there is no connection', async () => {
  const { heard } = aThread(tableWithLease().memory, NOBODY, { maxBlockMs: HOUR_MS });
  await eventually(() => {
    const messages = [...heard.messages];
    expect(messages).toContainEqual(expect.stringMatching(/^leases could not be renewed: (?!Error)\S/));
    expect(messages).toContainEqual(expect.stringMatching(/^connect ECONNREFUSED/));
  });
});

test('a thread that has died is started again after a second', async () => {
  const { restartIsNear } = heldTimers();
  const { heard } = aThread(UNREADABLE, NOBODY);
  await until(() => heard.errors === 1 && restartIsNear());
  vi.advanceTimersByTime(999);
  await untilOthersHaveDied();
  expect(heard.errors).toBe(1);
  vi.advanceTimersByTime(1);
  await until(() => heard.errors === 2);
});

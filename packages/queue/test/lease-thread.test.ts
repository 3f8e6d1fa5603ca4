import { eventually } from '@escapement/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createLeaseMemory, openLeaseTable, sharedNowMs } from '../src/lease/lease-table.ts';
import { startLeaseThread } from '../src/lease/lease-thread.ts';
import { ownRedis } from './redis-server.ts';
import { renewals } from './support.ts';

/** A thread cannot read such a table, and dies at its start. */
const UNREADABLE = new SharedArrayBuffer(1);

/** A thread on a table of leases, and how often it told of what. */
function aThread(memory: SharedArrayBuffer, url: string, { leaseMs = 1000, maxBlockMs = 1000 } = {}) {
  const heard = { lost: 0, errorsAtMs: [] as number[], messages: new Set<string>() };
  const thread = startLeaseThread(
    { memory, server: { url }, leaseMs, maxBlockMs, markerKey: 'marker' },
    {
      onLost: () => {
        heard.lost += 1;
      },
      onError: ({ message }) => {
        heard.errorsAtMs.push(performance.now());
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

async function anotherDies(): Promise<void> {
  const { heard } = aThread(UNREADABLE, NOBODY);
  await until(() => heard.errorsAtMs.length > 0);
}

test('a thread that dies is told of, and started again', async () => {
  const { heard } = aThread(UNREADABLE, (await ownRedis()).url);
  await eventually(() => expect(heard.errorsAtMs.length).toBeGreaterThanOrEqual(2));
});

test('a thread that has died is not started again once it was stopped', async () => {
  const { thread, heard } = aThread(UNREADABLE, NOBODY);
  await until(() => heard.errorsAtMs.length === 1);
  // By then it has ended, and waits to be started again.
  await anotherDies();
  await thread.stop();
  const overMs = performance.now() + 1000;
  // Had it been started, it would have died before one that is started later.
  for (let startedMs = 0; startedMs <= overMs; await anotherDies()) startedMs = performance.now();
  expect(heard.errorsAtMs).toHaveLength(1);
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
  const { heard } = aThread(UNREADABLE, NOBODY);
  await until(() => heard.errorsAtMs.length === 2);
  const [first = 0, second = 0] = heard.errorsAtMs;
  // Timers of Node may ring a millisecond early.
  expect(second - first).toBeGreaterThan(990);
});

import { setTimeout as delay } from 'node:timers/promises';
import { appendLogs, type Database } from '@escapement/store';
import { aTask, eventually, finishedRunOf, hasNginx, runningRun } from '@escapement/testkit';
import { describe, expect, test } from 'vitest';
import { type Replicas, replicasBehindNginx } from './replicas/behind-nginx.ts';
import { type EventClient, eventClient } from './replicas/event-client.ts';

const TASK = 'comes-and-goes';
/** Runs that have ended between two acts of the test. */
const FEW = 10;
/** From one run to the next at least: who looks first after a kill tells the ends of some seconds at once, and of more than 256 KiB only that there were some. */
const APART_MS = 20;

/** Runs of a task, one after the other, and lines of the log of another run, until it is stopped. */
function atWork(db: Database, logged: string) {
  let [ended, lines, stopped] = [0, 0, false];
  async function work(): Promise<void> {
    while (!stopped) {
      const [text, seq] = [`line ${lines}\n`, lines++];
      await appendLogs(db, [{ runId: logged, attempt: 1, seq, text }]);
      await finishedRunOf(db, TASK);
      ended++;
      await delay(APART_MS);
    }
  }
  const worked = work();
  return {
    ended: () => ended,
    lines: () => lines,
    async stop(): Promise<void> {
      stopped = true;
      await worked;
    },
    /** Some more runs have ended, and been told to each of these. */
    async few(...clients: readonly EventClient[]): Promise<void> {
      const wanted = ended + FEW;
      await eventually(() => {
        for (const each of clients) expect(endsReceived(each).size).toBeGreaterThanOrEqual(wanted);
      }, 30_000);
    },
  };
}

/** The latest that was told of each run of the task. */
function statesReceived(client: EventClient): Map<string, { state: string; attempt: number }> {
  const told = client.of('runs').flatMap(({ data }) => data);
  const own = told.filter(({ taskName }) => taskName === TASK);
  return new Map(own.map(({ id, state, attempt }) => [id, { state, attempt }]));
}

function endsReceived(client: EventClient): Set<string> {
  return new Set([...statesReceived(client)].filter(([, { state }]) => state !== 'running').map(([id]) => id));
}

async function statusesOf(db: Database): Promise<Map<string, { state: string; attempt: number }>> {
  const { rows } = await db.pool.query<{ id: string; state: string; attempt: number }>(
    'SELECT r.id, r.state, r.attempt FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = $1',
    [TASK],
  );
  return new Map(rows.map(({ id, state, attempt }) => [id, { state, attempt }]));
}

/** What was done to the task and its runs, as clients are told. */
async function actionsOf(db: Database): Promise<Set<string>> {
  const { rows } = await db.pool.query<{ action: string }>(
    `SELECT action || ' ' || subject AS action FROM audit WHERE at > (SELECT created_at FROM task WHERE name = $1)`,
    [TASK],
  );
  return new Set(rows.map(({ action }) => action));
}

function actionsReceived(client: EventClient): Set<string> {
  const told = client.of('actions').flatMap(({ data }) => data);
  return new Set(told.map(({ action, subject }) => `${action} ${subject}`));
}

/** How often they were let in, together. */
const lettingIn = (clients: readonly EventClient[]) => clients.reduce((sum, each) => sum + each.connections(), 0);

// Left out where the program is not installed (Debian: `apt-get install nginx-light`).
describe.skipIf(!hasNginx)('replicas behind a proxy', async () => {
  const replicas = hasNginx ? await replicasBehindNginx() : ({} as Replicas);
  const { db } = replicas;

  test('when one is killed, and later the other, clients of events and of a log miss nothing', async () => {
    const logged = await runningRun(db, 'writes');
    // The proxy takes turns: there is one of each kind at each replica.
    const path = '/v1/events?topics=runs,actions';
    const watchers = [eventClient(replicas, path), eventClient(replicas, path)];
    await eventually(() => expect(lettingIn(watchers)).toBe(2));
    const logs = [0, 1].map(() => eventClient(replicas, `/v1/runs/${logged}/log/events`, 'end'));
    await eventually(() => expect(lettingIn(logs)).toBe(2));
    const clients = [...watchers, ...logs];
    await aTask(db, TASK);
    const work = atWork(db, logged);
    await work.few(...watchers);

    await replicas.kill(0);
    await eventually(() => expect(lettingIn(clients)).toBe(6));
    await work.few(...watchers);
    await replicas.restart(0);
    // All are at this one by now.
    await replicas.kill(1);
    await eventually(() => expect(lettingIn(clients)).toBe(10));
    await work.few(...watchers);
    await work.stop();
    await finish(db, logged);

    const status = await statusesOf(db);
    expect(status.size).toBe(work.ended());
    for (const each of watchers) {
      const actions = [...(await actionsOf(db))];
      // An act may be told one look later than the end of its run.
      await eventually(() => {
        expect(each.of('resync')).toEqual([]);
        expect(statesReceived(each)).toEqual(status);
        expect([...actionsReceived(each)]).toEqual(expect.arrayContaining(actions));
      });
    }
    const lines = Array.from({ length: work.lines() }, (_, index) => `line ${index}\n`);
    for (const each of logs) {
      await eventually(() => expect(each.of('end')).toHaveLength(1));
      expect(each.of('log').map(({ data }) => data.text)).toEqual(lines);
      expect(each.of('skipped')).toEqual([]);
    }
    for (const each of watchers) each.stop();
  });
});

async function finish(db: Database, runId: string): Promise<void> {
  await db.pool.query(`UPDATE run SET state = 'failed', reason = 'no luck', finished_at = now() WHERE id = $1`, [
    runId,
  ]);
}

import { afterAll, expect, it } from 'vitest';
import { type BegunRun, beginRuns, type Database, finishRuns, lookUpRuns } from '../src/index.ts';
import { beginRequest, finishRequest, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const ROUNDS = 15;
const RUNS = 160;
const BATCH = 40;

const { one, two, close } = await twoProcesses();
afterAll(close);

// Under plans whose partitions are ruled out at their start, PostgreSQL 18.4 crashed within some ten of these rounds.
it('begins and ends that race for the same rows leave Postgres standing, and each run ends once', {
  timeout: 120_000,
}, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const taskId = await makeTask(one, { name: `race-${round}` });
    const wanted = Array.from({ length: RUNS }, (_, n) => ({
      taskId,
      key: `race-${round}-${n}`,
      ageMs: 60_000 + n * 1000,
    }));
    const runs = await queueRuns(one, wanted);
    const began = await Promise.all([begin(one, runs), begin(two, runs), disturb(one, runs), lookUpRuns(two, runs)]);
    const begun = [...began[0], ...began[1]];
    expect(begun).toHaveLength(RUNS);
    const ended = await Promise.all([finish(one, begun), finish(two, begun), disturb(two, runs)]);
    expect([...ended[0], ...ended[1]].filter((result) => result === 'applied')).toHaveLength(RUNS);
  }
});

function batches<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / BATCH) }, (_, n) => items.slice(n * BATCH, (n + 1) * BATCH));
}

async function begin(db: Database, runs: readonly QueuedFixture[]): Promise<BegunRun[]> {
  const answers = batches(runs).map((batch) =>
    beginRuns(
      db,
      batch.map((run) => beginRequest(run)),
    ),
  );
  return (await Promise.all(answers)).flat().flatMap((result) => (result.kind === 'begun' ? [result.run] : []));
}

async function finish(db: Database, runs: readonly BegunRun[]) {
  const answers = batches(runs).map((batch) =>
    finishRuns(
      db,
      batch.map((run) => ({ ...finishRequest(run), countsFromEnd: false })),
    ),
  );
  return (await Promise.all(answers)).flat();
}

/** Changes rows under the others' hands, so that what waits for them has to look at them again. */
async function disturb(db: Database, runs: readonly QueuedFixture[]): Promise<void> {
  const some = runs.filter((_, n) => n % 16 === 0);
  const changes = some.map(({ runId }) =>
    db.pool.query('UPDATE run SET cancel_reason = NULL WHERE id = $1 AND finished_at IS NULL', [runId]),
  );
  await Promise.all(changes);
}

import { deleteTask, pauseTask } from '@escapement/operations';
import { listTasks } from '@escapement/store';
import { by } from '@escapement/testkit';
import { type testFleet, wasDue } from '@escapement/testkit/fleet';
import { type Mutation, spoil } from './mutations.ts';
import { allPasses, type Pass, saveRules } from './passes.ts';
import { makeVictim, type Victim } from './victim.ts';

type Fleet = Awaited<ReturnType<typeof testFleet>>;

/** Tables that belong to the fleet and not to a round. */
const KEPT = ['process', 'queue_watch', 'ledger_origin', 'audit', '_prisma_migrations', '_sql_functions'];

/** Passes of a round: what fails in the first must not fail in the second again. */
const TURNS = 2;

/** Spoils as many victims as there are mutations, each by one; makes all passes beside a task that is due. Says in words what went wrong. */
export function createRounds(fleet: Fleet) {
  const reported: string[] = [];
  const passes = allPasses(fleet, (error) => reported.push(String(error)));
  let count = 0;

  async function begin(): Promise<void> {
    await clear(fleet);
    await saveRules(fleet);
    await fleet.save({ name: 'beside', schedule: { kind: 'every', everyMs: 1000 } });
  }

  return {
    begin,
    async play(mutations: readonly Mutation[]): Promise<{ wrong: string[]; spoiled: number }> {
      await begin();
      const round = ++count;
      const victims: Victim[] = [];
      for (const index of mutations.keys()) victims.push(await makeVictim(fleet.db, `v${round}-${index}`));
      let spoiled = 0;
      for (const [index, mutation] of mutations.entries()) {
        const victim = victims[index];
        if (victim && (await spoil(fleet.db, victim, mutation))) spoiled += 1;
      }
      const wrong: string[] = [];
      for (let turn = 0; turn < TURNS; turn++) {
        reported.length = 0;
        await wasDue(fleet.db, 'beside', 100);
        await fleet.db.pool.query('DELETE FROM cluster_lock');
        for (const pass of passes) wrong.push(...(await tryPass(pass)));
        wrong.push(...reported.map((each) => `told: ${each}`), ...(await status(fleet)));
      }
      for (const victim of victims) wrong.push(...(await ends(fleet, victim)));
      return { wrong: [...new Set(wrong)], spoiled };
    },
  };
}

async function tryPass({ name, run }: Pass): Promise<string[]> {
  try {
    await run();
    return [];
  } catch (error) {
    return [`${name}: ${placeOf(error)}`];
  }
}

/** What went wrong, and where: the first lines of the stack, in one. */
function placeOf(error: unknown): string {
  const stack = error instanceof Error ? error.stack : undefined;
  return (stack ?? String(error)).split('\n').slice(0, 5).join(' | ').slice(0, 600);
}

/** The task beside them was planned, and its run is known to the queue. */
async function status(fleet: Fleet): Promise<string[]> {
  const { rows } = await fleet.db.pool.query<{ planned: boolean; plan_error: string | null }>(
    `SELECT next_run_at > now() AS planned, plan_error FROM task_plan JOIN task t ON t.id = task_id WHERE t.name = 'beside'`,
  );
  if (rows[0]?.planned !== true || rows[0].plan_error !== null)
    return [`beside is not planned: ${rows[0]?.plan_error}`];
  const { rows: runs } = await fleet.db.pool.query<{ id: string; dispatch: number }>(
    `SELECT r.id, r.dispatch FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = 'beside' AND r.state = 'queued'`,
  );
  const jobs = runs.map(({ id, dispatch }) => ({ queue: 'default+shell', runId: id, dispatch }));
  const present = await fleet.queue.present(jobs);
  return runs.length > 0 && present.every(Boolean) ? [] : ['a run of beside is not in the queue'];
}

/** It can be listed, paused and deleted. */
async function ends(fleet: Fleet, { name, taskId }: Victim): Promise<string[]> {
  const { rows } = await fleet.db.pool.query<{ name: string }>(
    'SELECT name FROM task WHERE id = $1 AND deleted_at IS NULL',
    [taskId],
  );
  const [row] = rows;
  if (!row) return [];
  try {
    await listTasks(fleet.db, {});
    await pauseTask(fleet.db, row.name, null, by('test'));
    await deleteTask(fleet.db, row.name, by('test'));
    return [];
  } catch (error) {
    return [`${name} cannot be deleted: ${placeOf(error)}`];
  }
}

async function clear({ db }: Fleet): Promise<void> {
  const { rows } = await db.pool.query<{ table: string }>(
    `SELECT c.relname AS table FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname <> ALL ($1)`,
    [KEPT],
  );
  await db.pool.query(`TRUNCATE ${rows.map(({ table }) => `"${table}"`).join(', ')} CASCADE`);
  await db.pool.query(`DELETE FROM process WHERE id LIKE 'worker-v%'`);
}

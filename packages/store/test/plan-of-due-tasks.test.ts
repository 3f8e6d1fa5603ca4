import { testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { dueTasks } from '../src/index.ts';
import { nodesOf, openExplained, rowsReadBy } from './explained.ts';
import { ago, MINUTE, makeTask } from './ledger.ts';

const { db, plansOf } = await openExplained(await testDatabase());
afterAll(() => db.close());

const HISTORY = 2000;

it('an overdue task is found without a look at its history, if its policy does not ask for it', async () => {
  const id = await makeTask(db, { name: 'busy' });
  await db.pool.query(`UPDATE task_plan SET next_run_at = $2 WHERE task_id = $1`, [id, ago(MINUTE)]);
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, due_at, dispatch, finished_at)
     SELECT gen_random_uuid(), i.at, 'default', $1, 1, 1, 'schedule', 'succeeded', 'busy', 1, 'skip', 'default', i.at, 1, i.at
     FROM generate_series(1, $2) AS n CROSS JOIN LATERAL (SELECT now() - (3600 + n) * interval '1 s' AS at) i`,
    [id, HISTORY],
  );
  await db.pool.query('VACUUM ANALYZE run');
  const plans = await plansOf(async () => {
    const { tasks } = await dueTasks(db, { horizonMs: MINUTE, limit: 10 });
    expect(tasks).toMatchObject([{ name: 'busy', openBefore: false, begunBefore: 0 }]);
  });
  const read = plans.flatMap(nodesOf).filter((node) => node['Relation Name']?.startsWith('run'));
  expect(read.reduce((sum, node) => sum + rowsReadBy(node), 0)).toBe(0);
});

import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { MINUTE } from '@escapement/core';
import { openDatabase } from '@escapement/store';
import { PATIENT } from './fleet.ts';
import { insertTasks, NEVER, type Timing } from './insert-tasks.ts';
import { startServers } from './servers.ts';
import { figure, median } from './table.ts';
import type { Figures } from './targets.ts';

const TASKS = 100_000;
const TIMES = 5;
const CLI = fileURLToPath(new URL('../../apps/cli/bin/escapement.js', import.meta.url));

/** Half of them once a day, a third once an hour, some every quarter of an hour or five minutes; each at a minute of its own. */
function timing(index: number): Timing {
  const minute = (index * 7919) % 60;
  const hour = (index * 104_729) % 24;
  const cron = (expression: string) => ({ kind: 'cron', expression, timeZone: 'Europe/Vienna' });
  const share = index % 20;
  const every = { kind: 'every', everyMs: share === 0 ? 5 * MINUTE : 15 * MINUTE, phaseMs: (index % 5) * MINUTE };
  const spec = share < 4 ? every : share < 10 ? cron(`${minute} * * * *`) : cron(`${minute} ${hour} * * *`);
  return { spec, nextRunAt: NEVER };
}

/** `forecast [TASKS]`: how long `escapement forecast` takes from start to end for the next 7 days of so many tasks, as JSON. */
export async function run(args: readonly string[]): Promise<Figures> {
  const tasks = Number(args[0] ?? TASKS);
  const servers = await startServers();
  try {
    const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', ...PATIENT });
    await insertTasks(db, tasks, timing);
    // From a moment to an hour and a half.
    await db.pool.query(
      `INSERT INTO task_duration (task_id, runs, p50_ms, p95_ms) SELECT id, 100, d.ms, 2 * d.ms
       FROM task CROSS JOIN LATERAL (SELECT 1.2 ^ (get_byte(uuid_send(id), 15) % 85) AS ms) d`,
    );
    await db.pool.query('VACUUM ANALYZE');
    await db.close();
    const env = { ...process.env, DATABASE_URL: servers.databaseUrl, REDIS_URL: servers.redisUrl };
    const tookS = Array.from({ length: TIMES }, () => {
      const from = performance.now();
      const { status, stdout } = spawnSync(process.execPath, [CLI, 'forecast', '-o', 'json'], {
        env,
        maxBuffer: 1e9,
      });
      if (status !== 0) throw new Error(`escapement forecast ended with ${status}`);
      const took = (performance.now() - from) / 1000;
      const { runs, tasks: due } = JSON.parse(String(stdout));
      process.stdout.write(`${figure(took, 2)} s: ${runs} runs of ${due} tasks\n`);
      return took;
    });
    return { forecast: Math.round(median(tookS) * 10) / 10 };
  } finally {
    await servers.stop();
  }
}

import { fileURLToPath } from 'node:url';
import { triggerTask } from '@escapement/operations';
import { openDatabase } from '@escapement/store';
import { built, by, type NodeProcess, spawnNode, testDatabase, testRedis } from '@escapement/testkit';
import { afterAll } from 'vitest';
import { z } from 'zod';

/** The program of an app, as it is built. */
export const main = (app: 'scheduler' | 'worker') =>
  fileURLToPath(new URL(`../../${app}/src/main.ts`, import.meta.url));
export const START_MS = 45_000;
/** For what a fleet has to bring about, on a machine with nothing else to do. */
export const PATIENCE_MS = 60_000;

/** A scheduler or worker that says that it is running. */
export async function startProgram(app: 'scheduler' | 'worker', env: Record<string, string>): Promise<NodeProcess> {
  const program = spawnNode(main(app), { env });
  await program.waitForLine(`${app} is running`, START_MS);
  return program;
}

const finishedRun = z.object({
  id: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  tookMs: z.number(),
  exitCode: z.number().nullable(),
  error: z.object({ name: z.string(), stack: z.string().optional() }).loose().nullable(),
});
export type FinishedRun = z.output<typeof finishedRun>;

const ENDED = `SELECT id, state, reason, error, exit_code AS "exitCode",
    (1000 * extract(epoch FROM finished_at - scheduled_for))::float AS "tookMs"
  FROM run WHERE id = ANY($1::uuid[]) AND finished_at IS NOT NULL`;

/** A scheduler and a worker as they are in production, with the tasks of `./tasks`. */
export async function startFleet() {
  const { url } = await testDatabase();
  const env = {
    DATABASE_URL: url,
    REDIS_URL: (await testRedis()).url,
    ESCAPEMENT_HEALTH_PORT: '0',
    ESCAPEMENT_ALLOW_INLINE: 'true',
    ESCAPEMENT_TASKS: built(new URL('./tasks', import.meta.url)),
  };
  const scheduler = spawnNode(main('scheduler'), { env });
  const worker = spawnNode(main('worker'), { env });
  const db = openDatabase({ url, applicationName: 'test' });
  afterAll(() => db.close());
  await scheduler.waitForLine('scheduler is running', START_MS);
  await worker.waitForLine('worker is running', START_MS);

  return {
    worker,
    trigger: (task: string, payload?: string) =>
      triggerTask(db, task, payload === undefined ? { by: by('test') } : { by: by('test'), payload }),
    /** These runs, when all of them have ended. */
    async ended(ids: readonly string[]): Promise<FinishedRun[]> {
      for (;;) {
        const { rows } = await db.pool.query(ENDED, [ids]);
        if (rows.length === ids.length) return z.array(finishedRun).parse(rows);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async log(id: string): Promise<string> {
      const { rows } = await db.pool.query<{ text: string }>(
        'SELECT text FROM run_log_chunk WHERE run_id = $1 ORDER BY seq',
        [id],
      );
      return rows.map(({ text }) => text).join('');
    },
  };
}

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '@escapement/store';
import { PATIENT } from './fleet.ts';
import { insertTasks, NEVER } from './insert-tasks.ts';
import { YEARLY } from './rounds.ts';
import { startServers } from './servers.ts';
import type { Figures } from './targets.ts';

const TIMES = 20;
const TASKS = 100;
const CLI = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));

const COMMANDS: readonly (readonly string[])[] = [
  ['--version'],
  ['tasks', 'list'],
  ['tasks', 'show', 'bench-0'],
  ['runs', 'list'],
  ['top'],
];

/** `cli [TIMES]`: how long commands take from start to end, each so many times, with nothing else to do. */
export async function run(args: readonly string[]): Promise<Figures> {
  const times = Number(args[0] ?? TIMES);
  const servers = await startServers();
  const medians: number[] = [];
  try {
    const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', ...PATIENT });
    await insertTasks(db, TASKS, () => ({ spec: YEARLY, nextRunAt: NEVER })).finally(() => db.close());
    const env = { ...process.env, DATABASE_URL: servers.databaseUrl, REDIS_URL: servers.redisUrl };
    for (const command of COMMANDS) {
      const tookMs = Array.from({ length: times }, () => timeOf(command, env)).sort((one, other) => one - other);
      const [p50, p95] = [0.5, 0.95].map((share) => tookMs[Math.floor((tookMs.length - 1) * share)] ?? Number.NaN);
      process.stdout.write(`${command.join(' ').padEnd(20)} p50 ${p50?.toFixed(0)} ms  p95 ${p95?.toFixed(0)} ms\n`);
      medians.push(p50 ?? Number.NaN);
    }
  } finally {
    await servers.stop();
  }
  return { cli: Math.max(...medians) };
}

function timeOf(command: readonly string[], env: NodeJS.ProcessEnv): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [CLI, ...command], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`escapement ${command.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - started;
}

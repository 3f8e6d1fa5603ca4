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
const CLI = fileURLToPath(new URL('../../apps/cli/bin/escapement.js', import.meta.url));

const COMMANDS: readonly (readonly string[])[] = [
  ['--version'],
  ['tasks', 'list'],
  ['tasks', 'show', 'bench-0'],
  ['runs', 'list'],
  ['top'],
];

/** Passes the command on, and says at the end what it took of processors. */
const TIMED = '"$@"; code=$?; times >&2; exit $code';

interface Taken {
  tookMs: number;
  cpuMs: number;
}

/** `cli [TIMES]`: how long commands take from start to end, and what of processors, each so many times, one at a time. */
export async function run(args: readonly string[]): Promise<Figures> {
  const times = Number(args[0] ?? TIMES);
  const servers = await startServers();
  const medians: number[] = [];
  try {
    const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', ...PATIENT });
    await insertTasks(db, TASKS, () => ({ spec: YEARLY, nextRunAt: NEVER })).finally(() => db.close());
    const env = { ...process.env, DATABASE_URL: servers.databaseUrl, REDIS_URL: servers.redisUrl };
    for (const command of COMMANDS) {
      const taken = Array.from({ length: times }, () => timeOf(command, env));
      const tookMs = taken.map((each) => each.tookMs);
      const [p50, p95] = [shareOf(tookMs, 0.5), shareOf(tookMs, 0.95)];
      const cpuMs = shareOf(
        taken.map((each) => each.cpuMs),
        0.5,
      );
      process.stdout.write(
        `${command.join(' ').padEnd(20)} p50 ${p50.toFixed(0)} ms  p95 ${p95.toFixed(0)} ms  processor ${cpuMs} ms\n`,
      );
      medians.push(p50);
    }
  } finally {
    await servers.stop();
  }
  return { cli: Math.max(...medians) };
}

function shareOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

function timeOf(command: readonly string[], env: NodeJS.ProcessEnv): Taken {
  const started = performance.now();
  const words = ['-c', TIMED, 'sh', process.execPath, CLI, ...command];
  const { status, stderr } = spawnSync('sh', words, { env, encoding: 'utf8' });
  const tookMs = performance.now() - started;
  if (status !== 0) throw new Error(`escapement ${command.join(' ')} ended with ${status}: ${stderr}`);
  return { tookMs, cpuMs: cpuOf(stderr) };
}

/** The last line that `times` writes: `0m0.084s 0m0.023s`, in user and in system mode, of what the shell started. */
function cpuOf(said: string): number {
  const parts = [...(said.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return Math.round(
    parts.reduce((sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000, 0),
  );
}

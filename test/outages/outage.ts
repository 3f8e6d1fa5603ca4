import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SECOND } from '@escapement/core';
import { saveTask } from '@escapement/operations';
import { openDatabase } from '@escapement/store';
import { by, type NodeProcess, spawnNode, stopwatch } from '@escapement/testkit';
import { expect } from 'vitest';

const MAIN = { scheduler: '../../apps/scheduler/src/main.ts', worker: '../../apps/worker/src/main.ts' };
const GRACE_MS = { scheduler: 5 * SECOND, worker: 1 * SECOND };
/** Warnings and errors. The ends of runs are told one by one, at `info`. */
const MAX_LINES_PER_SECOND = 10;
const MAX_GROWTH_MB = 80;

type Role = keyof typeof MAIN;

/** A scheduler and a worker of their own, with work every second. */
export interface Pair {
  /** They work in the fault for some seconds; then the bounds of I11 are asked for, and they are ended in it. */
  endureAndStop(ms: number): Promise<void>;
  /** They work in the fault for some seconds more than it takes each to write `line`. */
  endure(line: string, ms: number): Promise<void>;
  /** What each has written of trouble, figures left out, once it has written `back`. */
  storyUntil(back: string): Promise<string[][]>;
}

export async function startPair(databaseUrl: string, redisUrl: string): Promise<Pair> {
  await giveWork(databaseUrl);
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ESCAPEMENT_HEALTH_PORT: 'off',
    ESCAPEMENT_LEASE_MS: '3000',
    ESCAPEMENT_GRACE_MS: String(GRACE_MS.worker),
    ESCAPEMENT_ALLOW_SHELL: 'true',
  };
  const started = (Object.keys(MAIN) as Role[]).map(async (role) => {
    const child = spawnNode(fileURLToPath(new URL(MAIN[role], import.meta.url)), { env });
    await child.waitForLine(`${role} is running`, 45 * SECOND);
    return { role, child };
  });
  const members = await Promise.all(started);
  await members.find(({ role }) => role === 'worker')?.child.waitForLine('run succeeded');
  async function endure(line: string, ms: number): Promise<void> {
    await Promise.all(members.map(({ child }) => child.waitForLine(line, 60 * SECOND)));
    await new Promise((resolve) => setTimeout(resolve, ms));
  }

  return {
    async endureAndStop(ms) {
      const before = members.map(({ child }) => ({ lines: child.lines.length, mb: residentMb(child) }));
      await new Promise((resolve) => setTimeout(resolve, ms));
      for (const [index, { role, child }] of members.entries()) {
        expect(busiestSecond(child.lines.slice(before[index]?.lines)), role).toBeLessThanOrEqual(MAX_LINES_PER_SECOND);
        expect(residentMb(child) - (before[index]?.mb ?? 0), role).toBeLessThan(MAX_GROWTH_MB);
      }
      await Promise.all(members.map(({ role, child }) => endInTime(role, child)));
    },
    endure,
    async storyUntil(back) {
      await endure(back, 3000);
      return members.map(({ child }) => child.lines.map(readLine).filter(isTrouble).map(kindOf));
    },
  };
}

/** Warnings, errors, and what says that trouble is over. */
function isTrouble({ level, msg }: LogLine): boolean {
  return level !== 'info' || / answers again /.test(msg);
}

function kindOf({ msg }: LogLine): string {
  return msg.replace(/\d+/g, '#');
}

async function giveWork(databaseUrl: string): Promise<void> {
  const db = openDatabase({ url: databaseUrl, applicationName: 'outage test' });
  const task = { schedule: { kind: 'every', everyMs: SECOND }, handler: { type: 'shell', command: 'true' } } as const;
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
    await saveTask(db, { name, ...task }, { source: 'test', by: by('test') });
  await db.close();
}

async function endInTime(role: Role, child: NodeProcess): Promise<void> {
  const tookMs = await stopwatch();
  await child.terminate();
  expect(await tookMs(), role).toBeLessThan(GRACE_MS[role] + 5 * SECOND);
}

/** Resident memory, where the system tells it. */
function residentMb({ pid }: NodeProcess): number {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    return (Number(pages) * 4096) / 1024 ** 2;
  } catch {
    return 0;
  }
}

/** The most warnings and errors in any second. What is not the logger's has no time: it counts in each second. */
function busiestSecond(lines: readonly string[]): number {
  const troubles = lines.map(readLine).filter(({ level }) => level !== 'info');
  const times = troubles.flatMap(({ timeMs }) => (timeMs === undefined ? [] : [timeMs]));
  const counts = times.map((from) => times.filter((time) => time >= from && time < from + SECOND).length);
  return troubles.length - times.length + Math.max(0, ...counts);
}

interface LogLine {
  level?: string;
  timeMs?: number;
  msg: string;
}

function readLine(line: string): LogLine {
  try {
    const { level, time, msg } = JSON.parse(line);
    return { level: String(level), timeMs: Date.parse(String(time)), msg: String(msg) };
  } catch {
    return { msg: line };
  }
}

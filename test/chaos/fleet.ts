import { fileURLToPath } from 'node:url';
import { SECOND, systemClock } from '@escapement/core';
import { type NodeProcess, spawnNode } from '@escapement/testkit';
import { z } from 'zod';
import type { LogLine, MemberRecord } from './evidence.ts';

/** A source file that has to be compiled on a busy machine takes its time. */
const START_TIMEOUT_MS = 45 * SECOND;
/** Given to workers; that of schedulers is fixed. */
const GRACE_MS = { scheduler: 5 * SECOND, worker: 3 * SECOND };
const MAIN = { scheduler: '../../apps/scheduler/src/main.ts', worker: '../../apps/worker/src/main.ts' };

export type Role = MemberRecord['role'];

/** A real scheduler or worker, run from source. */
export interface Member {
  readonly name: string;
  readonly role: Role;
  /** What the ledger calls it. */
  readonly instance: string;
  readonly alive: boolean;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGTERM, then waits for the end. */
  stop(): Promise<void>;
  record(): MemberRecord;
}

export interface Fleet {
  readonly members: readonly Member[];
  alive(role: Role): Member[];
  /** Starts one more and waits until it works. */
  start(role: Role): Promise<Member>;
}

export interface FleetOptions {
  databaseUrl: string;
  redisUrl: string;
  leaseMs: number;
  /** Added to the environment of workers. */
  workerEnv: Record<string, string>;
}

export function createFleet(options: FleetOptions): Fleet {
  const members: Member[] = [];
  const count = { scheduler: 0, worker: 0 };
  return {
    members,
    alive: (role) => members.filter((member) => member.role === role && member.alive),
    async start(role) {
      count[role] += 1;
      const member = await startMember(`${role}-${count[role]}`, role, environment(role, options));
      members.push(member);
      return member;
    },
  };
}

function environment(role: Role, options: FleetOptions): Record<string, string> {
  return {
    DATABASE_URL: options.databaseUrl,
    REDIS_URL: options.redisUrl,
    ESCAPEMENT_LEASE_MS: String(options.leaseMs),
    ESCAPEMENT_HEALTH_PORT: '0',
    ...(role === 'worker' ? { ESCAPEMENT_GRACE_MS: String(GRACE_MS.worker), ...options.workerEnv } : {}),
  };
}

async function startMember(name: string, role: Role, env: Record<string, string>): Promise<Member> {
  const child = spawnNode(fileURLToPath(new URL(MAIN[role], import.meta.url)), { env });
  const running = await child.waitForLine(`${role} is running`, START_TIMEOUT_MS);
  const { instance } = z.object({ instance: z.string() }).parse(JSON.parse(running));
  let end: MemberRecord['end'] | undefined;
  let stopMs: number | null = null;
  let exit: Awaited<NodeProcess['exited']> | undefined;
  void child.exited.then((how) => {
    exit = how;
    end ??= 'by itself';
  });
  return {
    name,
    role,
    instance,
    get alive() {
      return end === undefined;
    },
    async kill() {
      end ??= 'killed';
      await child.kill();
    },
    async stop() {
      end ??= 'stopped';
      const startedMs = systemClock.monotonicMs();
      await child.terminate();
      stopMs = Math.round(systemClock.monotonicMs() - startedMs);
    },
    record: () => ({
      name,
      role,
      end: end ?? 'by itself',
      code: exit?.code ?? null,
      signal: exit?.signal ?? null,
      stopMs,
      graceMs: GRACE_MS[role],
      log: child.lines.flatMap(toLogLine),
    }),
  };
}

const logLine = z.object({
  time: z.iso.datetime(),
  level: z.enum(['debug', 'info', 'warn', 'error', 'fatal']),
  msg: z.string(),
  err: z.object({ message: z.string() }).optional(),
});

/** Lines that are not the logger's, such as Node's own warnings, are left out. */
function toLogLine(text: string): LogLine[] {
  const parsed = logLine.safeParse(tryJson(text));
  if (!parsed.success) return [];
  const { time, level, msg, err } = parsed.data;
  return [{ atMs: Date.parse(time), level, message: err ? `${msg}: ${err.message}` : msg }];
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

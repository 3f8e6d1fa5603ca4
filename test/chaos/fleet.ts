import { fileURLToPath } from 'node:url';
import { SECOND, systemClock } from '@escapement/core';
import {
  type Armed,
  type ArmingOptions,
  type Injection,
  type Proxy as NetworkLink,
  type NodeProcess,
  pointName,
  type SkewedClock,
  spawnNode,
  startProxy,
} from '@escapement/testkit';
import { z } from 'zod';
import type { MemberRecord } from './evidence.ts';
import { toLogLine } from './log-line.ts';
import { watchMemory } from './memory.ts';
import { HEARTBEAT, SCHEDULER_STEPS, WORKER_STEPS } from './scheduler-steps.ts';

/** On a busy machine a start takes its time. */
const START_TIMEOUT_MS = 180 * SECOND;
/** Given to workers; that of schedulers is fixed. */
const GRACE_MS = { scheduler: 5 * SECOND, worker: 3 * SECOND };
const MAIN = { scheduler: '../../apps/scheduler/src/main.ts', worker: '../../apps/worker/src/main.ts' };

export type Role = MemberRecord['role'];

/** A real scheduler or worker with a network of its own. */
export interface Member {
  readonly name: string;
  readonly role: Role;
  /** What the ledger calls it. */
  readonly instance: string;
  readonly alive: boolean;
  readonly wasKilled: boolean;
  /** What lies between it and its servers. */
  readonly redis: NetworkLink;
  readonly postgres: NetworkLink;
  /** Makes something happen at one of its steps. */
  arm(options: ArmingOptions): Armed;
  /** Whether another has been started for it. */
  readonly replaced: boolean;
  /** Not dead, but nobody hears of it: frozen, or told so by `suspect`. */
  readonly silent: boolean;
  suspect(isSilent: boolean): void;
  /** Whether its log has more lines with this than at the last call. */
  saysAgain(what: string): boolean;
  /** It will be killed, by a failpoint or by its own task: its end is none of its own doing. */
  doom(): void;
  /** Takes that back from one that lives. */
  pardon(): void;
  noteReplaced(): void;
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  thaw(): void;
  /** SIGTERM, then waits for the end. */
  stop(): Promise<void>;
  record(): MemberRecord;
}

export interface Fleet {
  readonly members: readonly Member[];
  alive(role: Role): Member[];
  /** Starts one more and waits until it works. */
  start(role: Role, clock?: SkewedClock): Promise<Member>;
  /** Starts one more for one that is gone, while the scenario goes on. */
  replace(gone: Member): void;
  /** Resolves when all that were to replace others work. */
  complete(): Promise<void>;
  /** From now on everybody's Redis is this one. */
  switchRedis(url: string): void;
}

export interface FleetOptions {
  databaseUrl: string;
  redisUrl: string;
  leaseMs: number;
  /** Added to the environment of workers. */
  workerEnv: Record<string, string>;
  /** Guards that are taken away. */
  patches?: Injection['patches'];
}

export function createFleet(options: FleetOptions): Fleet {
  const members: Member[] = [];
  const count = { scheduler: 0, worker: 0 };
  let { redisUrl } = options;
  let replacing: Promise<unknown> = Promise.resolve();

  async function start(role: Role, clock?: SkewedClock): Promise<Member> {
    count[role] += 1;
    const name = `${role}-${count[role]}`;
    const [redis, postgres] = await Promise.all([startProxy(redisUrl), startProxy(options.databaseUrl)]);
    const env = { ...environment(role, options), DATABASE_URL: postgres.url, REDIS_URL: redis.url, ...clock?.env };
    const member = await startMember({ name, role, env, redis, postgres, patches: options.patches ?? [] });
    members.push(member);
    return member;
  }

  return {
    members,
    alive: (role) => members.filter((member) => member.role === role && member.alive),
    start,
    replace(gone) {
      gone.noteReplaced();
      replacing = Promise.all([replacing, start(gone.role)]);
      // Told by whoever waits for it.
      replacing.catch(() => undefined);
    },
    complete: async () => void (await replacing),
    switchRedis(url) {
      redisUrl = url;
      for (const { redis } of members) redis.switchTo(url);
    },
  };
}

function environment(role: Role, options: FleetOptions): Record<string, string> {
  return {
    ESCAPEMENT_LEASE_MS: String(options.leaseMs),
    ESCAPEMENT_HEALTH_PORT: '0',
    // The target of its tasks is on this machine.
    ESCAPEMENT_EGRESS: 'loopback',
    ...(role === 'worker' ? { ESCAPEMENT_GRACE_MS: String(GRACE_MS.worker), ...options.workerEnv } : {}),
  };
}

/** A function that is a step of both is injected once. */
const FAILPOINTS = [
  ...new Map([...SCHEDULER_STEPS, ...WORKER_STEPS, HEARTBEAT].map((each) => [pointName(each), each])).values(),
];

interface MemberOptions {
  name: string;
  role: Role;
  env: Record<string, string>;
  redis: NetworkLink;
  postgres: NetworkLink;
  patches: NonNullable<Injection['patches']>;
}

async function startMember({ name, role, env, redis, postgres, patches }: MemberOptions): Promise<Member> {
  const inject = { failpoints: FAILPOINTS, patches };
  const child = spawnNode(fileURLToPath(new URL(MAIN[role], import.meta.url)), { env, inject });
  const running = await child.waitForLine(`${role} is running`, START_TIMEOUT_MS);
  const { instance } = z.object({ instance: z.string() }).parse(JSON.parse(running));
  let end: MemberRecord['end'] | undefined;
  let isDoomed = false;
  let isReplaced = false;
  let isSilent = false;
  const received = new Map<string, number>();
  const memory = watchMemory(child.pid);
  let stopMs: number | null = null;
  let exit: Awaited<NodeProcess['exited']> | undefined;
  const ended = child.exited.then((how) => {
    exit = how;
    memory.stop();
    end ??= isDoomed ? 'killed' : 'by itself';
  });
  return {
    name,
    role,
    instance,
    redis,
    postgres,
    ended,
    get alive() {
      return end === undefined;
    },
    get wasKilled() {
      return end === 'killed';
    },
    get replaced() {
      return isReplaced;
    },
    noteReplaced() {
      isReplaced = true;
    },
    get silent() {
      return isSilent;
    },
    suspect(silent) {
      isSilent = silent;
    },
    saysAgain: (what) => saysAgain(child, received, what),
    arm: child.arm,
    doom() {
      isDoomed = true;
    },
    pardon() {
      isDoomed = false;
    },
    async kill() {
      end ??= 'killed';
      await child.kill();
    },
    freeze() {
      isSilent = true;
      child.freeze();
    },
    thaw() {
      isSilent = false;
      child.thaw();
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
      ...memory.seen(),
      log: child.lines.flatMap(toLogLine),
    }),
  };
}

function saysAgain(child: NodeProcess, received: Map<string, number>, what: string): boolean {
  const before = received.get(what) ?? 0;
  const count = child.lines.filter((line) => line.includes(what)).length;
  received.set(what, count);
  return count > before;
}

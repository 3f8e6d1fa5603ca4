import { setTimeout as delay } from 'node:timers/promises';
import { SECOND } from '@escapement/core';
import type { SourcePatch } from '@escapement/testkit';
import type { Member } from '../fleet.ts';
import { HEARTBEAT } from '../scheduler-steps.ts';
import { busyWorker, type Fault, type Injury, lookFor, nowMs, type Scene } from './fault.ts';

/** kill -9 in the midst of a run. Until its lease has passed nobody may take its runs and keys. */
export const workerKilled: Fault = {
  name: 'worker-killed',
  title: 'worker killed',
  async inject(scene) {
    const victim = await busyWorker(scene);
    const fromMs = nowMs();
    await victim.kill();
    const runs = await scene.ledger.activeOn(victim.instance);
    scene.fleet.replace(victim);
    return { ...lossOf(victim, runs, fromMs, scene), detail: `${victim.name} held ${runs.length} runs` };
  },
};

/** Stopped as a whole for three leases, as by a pause of its virtual machine. Others have its runs when it wakes. */
export const workerFrozen: Fault = {
  name: 'worker-frozen',
  title: 'worker frozen for 3 leases',
  async inject(scene) {
    const victim = await busyWorker(scene);
    const fromMs = nowMs();
    victim.freeze();
    const runs = await scene.ledger.activeOn(victim.instance);
    const { atMs: recoveredMs, left } = await scene.quiet.wait();
    await delay(Math.max(0, fromMs + 3 * scene.leaseMs - nowMs()));
    victim.thaw();
    return {
      ...lossOf(victim, runs, fromMs, scene),
      recoveredMs,
      left,
      detail: `${victim.name} held ${runs.length} runs`,
    };
  },
};

/** As in production. */
const MAX_BLOCK_MS = 30 * SECOND;
/** In the short version, so that it need not last a minute. */
const SMALL_MAX_BLOCK_MS = 3 * SECOND;

/** For all workers of the short version: how long a lease is renewed though nobody hears the main loop. */
export const SMALL_MAX_BLOCK: SourcePatch = {
  module: 'packages/queue/src/lease/lease.ts',
  find: String.raw`maxBlockMs = 30 \* SECOND`,
  replace: `maxBlockMs = ${SMALL_MAX_BLOCK_MS}`,
};

/**
 * A handler that computes without end on the main loop: no heartbeat, no abort. For a while its leases are renewed all the
 * same; then its runs go to others, and what it says when it is through is refused.
 */
export const workerBlocked: Fault = {
  name: 'worker-blocked',
  title: "worker's event loop blocked",
  async inject(scene) {
    const maxBlockMs = scene.size === 'full' ? MAX_BLOCK_MS : SMALL_MAX_BLOCK_MS;
    const blockedMs = 2 * maxBlockMs + 2 * scene.leaseMs;
    const victim = await busyWorker(scene);
    const armed = victim.arm({ point: HEARTBEAT, when: 'during', action: 'block', ms: blockedMs });
    const fired = await lookFor(scene.probe, 10 * SECOND, async () => (await armed.fired(0)) || undefined);
    if (!fired) throw new Error(`${victim.name} sent no heartbeat for 10 s`);
    const beganMs = nowMs();
    const runs = await scene.ledger.activeOn(victim.instance);
    await delay(maxBlockMs);
    victim.suspect(true);
    // From then on it works again, whether or not others have recovered: what it holds then is its own.
    const unblocked = delay(Math.max(0, beganMs + blockedMs - nowMs())).then(() => victim.suspect(false));
    const { atMs: recoveredMs, left } = await scene.quiet.wait();
    await unblocked;
    const loss = lossOf(victim, runs, beganMs + maxBlockMs, scene);
    const detail = `${victim.name} for ${blockedMs / SECOND} s, it held ${runs.length} runs`;
    return { ...loss, fromMs: beganMs, recoveredMs, left, detail };
  },
};

function lossOf(victim: Member, runs: string[], fromMs: number, { leaseMs }: Scene): Omit<Injury, 'detail'> {
  return { fromMs, healedMs: fromMs, excusedMs: fromMs + leaseMs, killed: { worker: victim.instance, runs } };
}

/** A deployment: each process is replaced by a new one and asked to stop, one after the other. Nothing may be late. */
export const rollingRestart: Fault = {
  name: 'rolling-sigterm',
  title: 'rolling SIGTERM',
  async inject({ fleet }) {
    const fromMs = nowMs();
    const old = { schedulers: fleet.alive('scheduler'), workers: fleet.alive('worker') };
    await Promise.all([inTurn(old.schedulers), inTurn(old.workers)]);
    async function inTurn(members: readonly Member[]): Promise<void> {
      for (const member of members) {
        await fleet.start(member.role);
        await member.stop();
      }
    }
    const healedMs = nowMs();
    const count = old.schedulers.length + old.workers.length;
    return { fromMs, healedMs, excusedMs: fromMs, detail: `${count} processes replaced` };
  },
};

/** SIGTERM while Redis is dead: there is nobody to report its shutdown to, and it must end all the same (I11). */
export const stoppedWithoutRedis: Fault = {
  name: 'sigterm-redis-dead',
  title: 'SIGTERM with Redis dead',
  async inject({ fleet, redis, random }) {
    const fromMs = nowMs();
    await redis.crash();
    const leaving = [random.pick(fleet.alive('scheduler')), random.pick(fleet.alive('worker'))];
    await Promise.all(leaving.map((member) => member.stop()));
    await redis.start();
    for (const member of leaving) fleet.replace(member);
    return { fromMs, healedMs: nowMs(), detail: `${leaving.map(({ name }) => name).join(' and ')} stopped meanwhile` };
  },
};

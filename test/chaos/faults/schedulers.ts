import { setTimeout as delay } from 'node:timers/promises';
import { SECOND } from '@escapement/core';
import { type Armed, type Failpoint, pointName } from '@escapement/testkit';
import type { Member } from '../fleet.ts';
import { SCHEDULER_STEPS, type Step, WORKER_STEPS } from '../scheduler-steps.ts';
import { busyWorker, type Fault, lookFor, nowMs, type Scene } from './fault.ts';
import { insertRuns } from './work.ts';

const FIRES_MS = 25 * SECOND;
/** Passes that one of all schedulers makes. */
const CLUSTER_WIDE: readonly Step['pass'][] = ['reconciler', 'repeatable-job-sync'];

const killedAfter = (step: string) => `scheduler-killed-after-${step}`;

/** One a step: kill -9 right after it, before the next. The others go on, so that there is nothing to wait for. */
export const schedulersKilled: readonly Fault[] = SCHEDULER_STEPS.filter(({ inOneProcess }) => !inOneProcess).map(
  (step) => ({
    name: killedAfter(step.name),
    title: `scheduler killed after ${step.pass} ${step.name}`,
    async inject(scene) {
      const { fleet } = scene;
      // One must be left to go on. The passes of the reconciler stay with one scheduler: it must not be one that is being started
      // in place of another, and is not armed.
      if (step.pass === 'reconciler' || fleet.alive('scheduler').length < 2) await fleet.complete();
      // Which of them comes by only the cluster lock knows.
      const candidates = CLUSTER_WIDE.includes(step.pass) ? fleet.alive('scheduler') : [anyScheduler(scene)];
      let lost: Lost | undefined;
      const victim = await killAt(step, candidates, scene, {
        once: async () => {
          if (step.needsLoss) lost = await loseWorker(scene);
        },
        // All dispatchers look twice a second: one that always looks after the others finds nothing, unless there is more to find.
        often: async () => {
          if (step.pass === 'dispatcher') await insertRuns(scene, 'burst', 1);
        },
      });
      const killedMs = nowMs();
      // A worker that was killed to bring the step about is part of the fault: what it held waits from then on.
      const { fromMs, excusedMs } = lost ?? { fromMs: killedMs, excusedMs: killedMs };
      return { fromMs, healedMs: killedMs, excusedMs: Math.max(killedMs, excusedMs), detail: victim.name };
    },
  }),
);

/** In `npm test` all steps are stopped after in one process; of real kills, these. */
const IN_SHORT = [
  'planRuns',
  'createDispatcher.enqueue',
  'createRunQueue.add',
  'markQueued',
  'createJobSchedulers.put',
  'holdClusterLock',
  'finishAndWake',
  'queuedRuns',
];

export const schedulersKilledInShort: readonly Fault[] = IN_SHORT.map((name) => {
  const found = schedulersKilled.find((fault) => fault.name === killedAfter(name));
  if (!found) throw new Error(`there is no step ${name} any more`);
  return found;
});

/** One a step of a run's way through a worker. Its runs are lost, whatever it had done of them. */
export const workersKilled: readonly Fault[] = WORKER_STEPS.map((step) => ({
  name: `worker-killed-after-${step.name}`,
  title: `worker killed after ${step.name}`,
  async inject(scene) {
    if (scene.fleet.alive('worker').length < 2) await scene.fleet.complete();
    const victim = await killAt(step, [scene.random.pick(scene.fleet.alive('worker'))], scene);
    const fromMs = nowMs();
    return { fromMs, healedMs: fromMs, excusedMs: fromMs + scene.leaseMs, detail: victim.name };
  },
}));

function anyScheduler({ fleet, random }: Scene): Member {
  return random.pick(fleet.alive('scheduler'));
}

/** After so long a process knows that it is disarmed. */
const DISARMED_MS = 250;

/** Brings a step about, where the load alone does not: before it is waited for, and at each look. */
interface Provoke {
  once?: () => Promise<void>;
  often?: () => Promise<void>;
}

/** Kills the first of them that comes by, and replaces it. */
async function killAt(
  step: Failpoint,
  candidates: readonly Member[],
  scene: Scene,
  provoke: Provoke = {},
): Promise<Member> {
  for (const member of candidates) member.doom();
  const armed = candidates.map((member) => ({
    member,
    trap: member.arm({ point: step, when: 'after', action: 'exit' }),
  }));
  await provoke.once?.();
  const first = await firstOf(armed, scene, provoke.often);
  for (const { trap } of armed) trap.disarm();
  // Another one may have come by before it heard that it need not: it is as dead as the first, though perhaps not seen so yet.
  await delay(DISARMED_MS);
  for (const { member, trap } of armed) if (await trap.fired(0)) await member.ended;
  for (const member of candidates) {
    if (member.alive) member.pardon();
    else scene.fleet.replace(member);
  }
  if (!first) throw new Error(`nobody came by ${pointName(step)} for ${FIRES_MS} ms`);
  return first;
}

function firstOf(
  armed: readonly { member: Member; trap: Armed }[],
  { probe }: Scene,
  provoke: Provoke['often'],
): Promise<Member | undefined> {
  return lookFor(probe, FIRES_MS, async () => {
    for (const { member, trap } of armed) if (await trap.fired(0)) return member;
    await provoke?.();
    return undefined;
  });
}

/** What a killed worker held may rightly be held up from then until then. */
type Lost = { fromMs: number; excusedMs: number };

async function loseWorker(scene: Scene): Promise<Lost> {
  const victim = await busyWorker(scene);
  const fromMs = nowMs();
  await victim.kill();
  scene.fleet.replace(victim);
  return { fromMs, excusedMs: fromMs + scene.leaseMs };
}

/** Stopped with its claim on its way to Postgres: what it claimed must not wait for it, nor hide from the others. */
export const schedulerFrozen: Fault = {
  name: 'scheduler-frozen-in-claim',
  title: 'scheduler frozen in its claim',
  async inject(scene) {
    if (scene.fleet.alive('scheduler').length < 2) await scene.fleet.complete();
    const victim = anyScheduler(scene);
    const planRuns = SCHEDULER_STEPS.find(({ name }) => name === 'planRuns');
    if (!planRuns) throw new Error('the planner has no such step any more');
    const armed = victim.arm({ point: planRuns, when: 'during', action: 'freeze' });
    const fired = await lookFor(scene.probe, FIRES_MS, async () => (await armed.fired(0)) || undefined);
    if (!fired) throw new Error(`${victim.name} planned nothing for ${FIRES_MS} ms`);
    const fromMs = nowMs();
    const { atMs: recoveredMs, left } = await scene.quiet.wait();
    await delay(Math.max(0, fromMs + 2 * scene.leaseMs - nowMs()));
    victim.thaw();
    const detail = `${victim.name} for ${((nowMs() - fromMs) / SECOND).toFixed(1)} s`;
    return { fromMs, healedMs: fromMs, recoveredMs, left, detail };
  },
};

import { SECOND, systemClock } from '@escapement/core';
import { alertingSpec } from '@escapement/core/alerts';
import { keepZones } from '@escapement/operations';
import {
  createAlerts,
  createBackfiller,
  createBatchKeeper,
  createChanger,
  createDeliverer,
  createErrorGrouper,
  createPruner,
  createRateKeeper,
  createRollUp,
} from '@escapement/scheduler';
import { findOldest, probeLedger, saveAlertingVersion } from '@escapement/store';
import { by } from '@escapement/testkit';
import type { testFleet } from '@escapement/testkit/fleet';

type Fleet = Awaited<ReturnType<typeof testFleet>>;

/** Each pass of a scheduler, by hand. */
export interface Pass {
  name: string;
  run: () => Promise<unknown>;
}

/** All passes of a scheduler; `onError` is told of what a pass goes on after. */
export function allPasses(fleet: Fleet, onError: (error: unknown) => void): Pass[] {
  const db = fleet.as.scheduler;
  const common = { db, clock: systemClock, emit: () => undefined, onError };
  const enqueue = async (runs: Parameters<Fleet['dispatcher']['enqueue']>[0]) =>
    void (await fleet.dispatcher.enqueue(runs));
  const alerts = createAlerts({
    ...common,
    holder: 'hostile',
    defaults: { email: ['fleet@example.com'], webhook: [] },
    deadMs: 10 * SECOND,
    redisAwayMs: () => null,
  });
  const loops = [
    fleet.planner,
    fleet.dispatcher,
    fleet.misfires,
    fleet.reconciler,
    fleet.repeatableJobSync,
    fleet.followersOutbox,
    fleet.requests,
    fleet.jobs,
    createRollUp(common),
    createErrorGrouper(common),
    createBackfiller(common),
    createBatchKeeper({ ...common, enqueue }),
    createChanger(common),
    createRateKeeper({ ...common, enqueue, mayWork: () => true }),
    createPruner({ ...common, removeQueues: async () => undefined }),
    alerts,
    createDeliverer({
      ...common,
      defaults: { email: ['fleet@example.com'], webhook: [] },
      render: ({ notes }) => notes.map(({ summary }) => summary).join('\n'),
      send: async () => ({ status: 'sent', detail: 'ok' }),
    }),
  ];
  return [
    ...loops.map((loop) => ({ name: loop.name, run: () => loop.runOnce() })),
    { name: 'zone-keeper', run: () => keepZones(db, { tzVersion: '2026a' }) },
    { name: 'probe', run: () => probeLedger(db, ['live', 'untold', 'waiting', 'late']) },
    { name: 'look-start', run: () => findOldest(db) },
  ];
}

/** Rules of each kind, so that alerts look at all they can. */
export async function saveRules(fleet: Fleet): Promise<void> {
  const definition = alertingSpec.parse({
    rules: [
      { name: 'failed', when: { kind: 'failed' } },
      { name: 'late', when: { kind: 'late', afterMs: 1000 } },
      { name: 'waiting', when: { kind: 'waiting', afterMs: 1000 } },
      { name: 'unplannable', when: { kind: 'unplannable' } },
      { name: 'missed', when: { kind: 'missed' } },
      { name: 'quarantined', when: { kind: 'quarantined' } },
      { name: 'no-success', when: { kind: 'no-success', forMs: 60_000 } },
      { name: 'slow', when: { kind: 'slow', timesP95: 2 } },
      { name: 'monitor-missed', when: { kind: 'monitor-missed' } },
      { name: 'suspicious', when: { kind: 'suspicious', minLogBytes: 10 } },
    ],
    receivers: { people: { type: 'email', to: ['ann@example.com'] } },
    routes: [{ receivers: ['people'], groupWaitMs: 0, groupIntervalMs: 0 }],
  });
  await saveAlertingVersion(fleet.db, { definition, expectedVersion: null, by: by('test') });
}

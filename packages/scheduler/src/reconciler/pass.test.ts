import type { DriftCounts } from '@escapement/core';
import type { ProbeKind } from '@escapement/store';
import { expect, test } from 'vitest';
import { healAll } from './pass.ts';
import { NOTHING, repairStep } from './step.ts';

const probe = async () => new Set(['live'] as const);

const step = (name: string, counts: DriftCounts, more = false) => ({ name, heal: async () => ({ counts, more }) });

test('a pass adds up what its steps found, and goes on where one of them left some', async () => {
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  expect(await healAll([], probe, onError)).toEqual({ counts: {}, more: false });
  const calm = [step('a', { missing_job: 2 }), step('b', { missing_job: 1, extra_job: 4 })];
  expect(await healAll(calm, probe, onError)).toEqual({ counts: { missing_job: 3, extra_job: 4 }, more: false });
  expect(await healAll([step('a', {}, true), step('b', {})], probe, onError)).toEqual({ counts: {}, more: true });
  expect([errors, NOTHING]).toEqual([[], { counts: {}, more: false }]);
});

test('a step that fails is told of by its name, and the others are taken', async () => {
  const errors: [unknown, unknown][] = [];
  const gone = new Error('gone');
  const bad = { name: 'bad', heal: () => Promise.reject(gone) };
  const healed = await healAll([bad, step('b', { extra_job: 1 }, true)], probe, (error, about) =>
    errors.push([error, about]),
  );
  expect(healed).toEqual({ counts: { extra_job: 1 }, more: true });
  expect(errors).toEqual([[gone, { name: 'reconciler, bad' }]]);
});

test('a repair that found as many as it may is followed by the next', async () => {
  const of = (fixed: number) =>
    repairStep({ kind: 'stuck_job', among: 'live', limit: 5, find: async () => ({ fix: async () => fixed }) }).heal();
  expect(await of(4)).toEqual({ counts: { stuck_job: 4 }, more: false });
  expect(await of(5)).toEqual({ counts: { stuck_job: 5 }, more: true });
});

test('a step is left out where a probe at the ledger shows that there is nothing for it, and taken where nobody could look', async () => {
  const errors: unknown[] = [];
  const of = (among: ProbeKind, counts: DriftCounts) => ({ ...step(among, counts), among });
  const steps = [of('live', { lost_run: 1 }), of('waiting', { overwaited: 1 }), step('always', { missing_job: 1 })];
  const onError = (error: unknown) => void errors.push(error);
  expect((await healAll(steps, probe, onError)).counts).toEqual({ lost_run: 1, missing_job: 1 });
  const gone = new Error('gone');
  const all = { lost_run: 1, overwaited: 1, missing_job: 1 };
  expect((await healAll(steps, () => Promise.reject(gone), onError)).counts).toEqual(all);
  expect(errors).toEqual([gone]);
});

test('a probe is asked for what the steps look at, each kind once', async () => {
  const asked: (readonly ProbeKind[])[] = [];
  const seen = async (kinds: readonly ProbeKind[]) => {
    asked.push(kinds);
    return new Set<ProbeKind>();
  };
  const of = (among: ProbeKind) => ({ ...step(among, { missing_job: 1 }), among });
  const none = { counts: {}, more: false };
  expect(await healAll([of('live'), of('slots'), of('live')], seen, () => {})).toEqual(none);
  await healAll([step('always', {})], seen, () => {});
  expect(asked).toEqual([['live', 'slots'], []]);
});

test('a step that is forced is taken though there is nothing that it looks at', async () => {
  let isForced = false;
  const one = { ...step('a', { missing_job: 1 }), among: 'waiting' as const, isForced: () => isForced };
  expect((await healAll([one], probe, () => {})).counts).toEqual({});
  isForced = true;
  expect((await healAll([one], probe, () => {})).counts).toEqual({ missing_job: 1 });
});

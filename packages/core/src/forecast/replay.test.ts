import { describe, expect, it } from 'vitest';
import { MINUTE } from '../clock.ts';
import { type ReplayQuestion, replay } from './replay.ts';

const every = (ms: number, count: number) => Array.from({ length: count }, (_, index) => index * ms);
const of = (given: Partial<ReplayQuestion>) =>
  replay({
    ...{ at: every(10 * MINUTE, 6), recorded: [{ at: 0, tookMs: 4 * MINUTE }], overlap: { policy: 'skip' } },
    ...{ limit: 1, others: [] },
    ...given,
  });

describe('runs that were recorded are played through', () => {
  it('as they are where none meets another', () => {
    expect(of({})).toEqual({
      ...{ due: 6, started: 6, skipped: 0, late: 0, longestWaitMs: 0, lateP95Ms: 0, replaced: 0 },
      ...{ atWorkMs: 24 * MINUTE, firstAt: null },
    });
  });

  it('each with the duration of the one nearest in time', () => {
    const recorded = [
      { at: 0, tookMs: 1 * MINUTE },
      { at: 26 * MINUTE, tookMs: 15 * MINUTE },
    ];
    // Those of 20, 30, 40 and 50 are nearer to the second; that of 30 and that of 50 find the one before at work.
    expect(of({ recorded })).toMatchObject({ started: 4, skipped: 2, firstAt: 30 * MINUTE, atWorkMs: 32 * MINUTE });
  });

  it('by the policy in question', () => {
    const recorded = [{ at: 0, tookMs: 12 * MINUTE }];
    expect(of({ recorded })).toMatchObject({ started: 3, skipped: 3 });
    expect(of({ recorded, overlap: { policy: 'wait-all' } })).toMatchObject({
      ...{ started: 6, skipped: 0, late: 5, longestWaitMs: 10 * MINUTE, lateP95Ms: 10 * MINUTE },
    });
    expect(of({ recorded, overlap: { policy: 'replace' } })).toMatchObject({ started: 6, replaced: 5 });
    expect(of({ recorded, overlap: { policy: 'allow' } })).toMatchObject({ started: 6, late: 0, firstAt: null });
    expect(of({ recorded, limit: 2 })).toMatchObject({ started: 6, skipped: 0 });
  });

  it('beside the other tasks of the key, which count as they were', () => {
    const other = { at: 8 * MINUTE, tookMs: 5 * MINUTE, overlap: { policy: 'skip' } } as const;
    expect(of({ others: [other] })).toMatchObject({ due: 6, started: 5, skipped: 1, firstAt: 10 * MINUTE });
  });
});

import { describe, expect, it } from 'vitest';
import { waitBounds } from './overlap.ts';
import { taskDefinition } from './task.ts';

const overlapOf = (overlap: unknown) =>
  taskDefinition.safeParse({ name: 't', handler: { type: 'code', name: 't' }, overlap });

describe('overlap policy', () => {
  it('may be given by its name alone', () => {
    expect(overlapOf('wait-all').data?.overlap).toEqual({ policy: 'wait-all' });
    expect(overlapOf(undefined).data?.overlap).toEqual({ policy: 'skip' });
  });

  it('refuses what it does not know and what is out of bounds, naming the place', () => {
    const places = [
      'queue',
      { policy: 'skip', maxWaiting: 3 },
      { policy: 'wait-all', maxWaiting: 0 },
      { policy: 'skip', skipAfterMs: -1 },
    ].map((overlap) => overlapOf(overlap).error?.issues[0]?.path.join('.'));
    expect(places).toEqual(['overlap.policy', 'overlap', 'overlap.maxWaiting', 'overlap.skipAfterMs']);
  });
});

describe('a run whose key is busy', () => {
  it('does not wait under skip, or for a moment where the task says so', () => {
    expect(waitBounds('skip', { policy: 'skip' })).toEqual({ maxWaiting: 0 });
    expect(waitBounds('skip', { policy: 'skip', skipAfterMs: 0 })).toEqual({ maxWaiting: 0 });
    expect(waitBounds('skip', { policy: 'skip', skipAfterMs: 500 })).toEqual({ maxWaitMs: 500 });
  });

  it('waits alone under wait-one, in a wait queue of bounded length under wait-all, and to replace', () => {
    expect(waitBounds('wait-one', { policy: 'wait-one' })).toEqual({ maxWaiting: 1 });
    expect(waitBounds('wait-all', { policy: 'wait-all' })).toEqual({ maxWaiting: 1000 });
    expect(waitBounds('wait-all', { policy: 'wait-all', maxWaiting: 5, maxWaitMs: 100 })).toEqual({
      maxWaiting: 5,
      maxWaitMs: 100,
    });
    expect(waitBounds('replace', { policy: 'replace' })).toEqual({});
  });

  it('goes by the policy of its row, with that policy’s defaults where the task has another', () => {
    expect(waitBounds('wait-all', { policy: 'skip', skipAfterMs: 500 })).toEqual({ maxWaiting: 1000 });
    expect(waitBounds('skip', { policy: 'wait-all', maxWaitMs: 100 })).toEqual({ maxWaiting: 0 });
    expect(waitBounds('wait-one')).toEqual({ maxWaiting: 1 });
  });
});

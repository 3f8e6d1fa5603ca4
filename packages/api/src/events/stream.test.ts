import { ManualClock, SECOND } from '@escapement/core';
import type { Timer } from '@escapement/service';
import { expect, test } from 'vitest';
import { type Changes, changes, TOPICS } from './changes.ts';
import type { Batch, Feed, Listener } from './feed.ts';
import { eventStream, type StreamOptions } from './stream.ts';

/** A feed and a time by hand. */
function byHand(kept: readonly Batch[] = []) {
  const listeners = new Set<Listener>();
  const clock = new ManualClock();
  const waits = new Map<() => void, number>();
  const timer: Timer = {
    after(ms, callback) {
      waits.set(callback, clock.monotonicMs() + ms);
      return () => void waits.delete(callback);
    },
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const latest = kept.at(-1)?.id ?? 0;
  const feed: Feed = {
    async listen(listener) {
      listeners.add(listener);
      return { from: latest, stop: () => void listeners.delete(listener) };
    },
    isKept: async (place) => kept.some(({ id }) => id === place),
    async *between(after, upTo) {
      yield* kept.filter(({ id }) => id > after && id <= upTo);
    },
    get size() {
      return listeners.size;
    },
    stop: async () => {},
  };
  return {
    ...{ feed, clock, timer },
    tell: (batch: Batch) => {
      for (const listener of listeners) listener(batch);
    },
    /** Time passes, once all that is under way waits. */
    async pass(ms: number) {
      await settled();
      clock.advance(ms);
      for (const [callback, atMs] of [...waits]) if (atMs <= clock.monotonicMs()) callback();
      await settled();
    },
  };
}

const batch = (id: number, told: Partial<Changes>): Batch => ({ id, changes: changes.parse(told) });
const entry = (subject: string) => ({ subject, action: 'save' });

function open(hand: ReturnType<typeof byHand>, more: Partial<StreamOptions> = {}) {
  const gone = new AbortController();
  const stream = eventStream({
    ...{
      feed: hand.feed,
      clock: hand.clock,
      timer: hand.timer,
      after: null,
      topics: new Set(TOPICS),
    },
    ...{ signal: gone.signal, renew: async () => {} },
    ...more,
  });
  return {
    gone,
    next: async () => String((await stream.next()).value ?? 'ended'),
    end: () => stream.return(undefined),
  };
}

test('a client that takes nothing has at most its budget waiting, and reads all anew', async () => {
  const hand = byHand();
  const { next } = open(hand);
  expect(await next()).toContain('event: open');
  const subject = `task:${'x'.repeat(100_000)}`;
  for (const id of [1, 2]) hand.tell(batch(id, { actions: [entry(subject)] }));
  expect(await next()).toMatch(/^id: 1\nevent: actions/);
  for (const id of [3, 4, 5]) hand.tell(batch(id, { actions: [entry(subject)] }));
  expect(await next()).toMatch(/^id: 5\nevent: resync/);
  hand.tell(batch(6, { alerts: true }));
  expect(await next()).toBe('id: 6\nevent: alerts\ndata: {}\n\n');
});

test('what one look has found is one piece, whose place stands with its last event', async () => {
  const hand = byHand();
  const { next } = open(hand);
  await next();
  hand.tell(batch(7, { actions: [entry('task:a')], alerts: true, crontabs: true }));
  expect(await next()).toBe(
    'event: actions\ndata: [{"subject":"task:a","action":"save"}]\n\nevent: alerts\ndata: {}\n\nid: 7\nevent: crontabs\ndata: {}\n\n',
  );
});

/** A token that is taken back before it is asked for again. */
function revoked() {
  let asked = 0;
  const renew = async () => {
    asked += 1;
    throw new Error('revoked');
  };
  return { renew, asked: () => asked };
}

const heartbeatAt = (id: number) => `id: ${id}\nevent: keep-alive\ndata: {}\n\n`;

test('silence of 15 s is a keep-alive with the place, and each minute the token is asked for again', async () => {
  const hand = byHand();
  let renewals = 0;
  const renew = async () => {
    renewals += 1;
    if (renewals === 2) throw new Error('revoked');
  };
  const { next } = open(hand, { renew });
  await next();
  hand.tell(batch(3, { fleet: true }));
  await next();
  for (let beat = 1; beat < 8; beat++) {
    const beats = next();
    await hand.pass(15 * SECOND);
    expect(await beats).toBe(heartbeatAt(3));
  }
  expect(renewals).toBe(1);
  const last = next();
  last.catch(() => undefined);
  await hand.pass(15 * SECOND);
  await expect(last).rejects.toThrow('revoked');
  expect(hand.feed.size).toBe(0);
});

test('who may see nothing of what a busy fleet does has a keep-alive, with the place up to which there was nothing', async () => {
  const hand = byHand();
  const { next } = open(hand, { task: 'a' });
  await next();
  for (const before of [0, 30]) {
    const beats = next();
    for (let second = 1; second <= 15; second++) {
      await hand.pass(SECOND);
      hand.tell(batch(before + second, { actions: [entry('task:b')] }));
    }
    // What comes in the same second as the keep-alive is behind it.
    expect(await beats).toBe(heartbeatAt(before + 14));
  }
  hand.tell(batch(50, { actions: [entry('task:a')] }));
  expect(await next()).toMatch(/^id: 50\nevent: actions/);
});

test('no keep-alive is sent to who was told something less than 15 s ago', async () => {
  const hand = byHand();
  const { next } = open(hand);
  await next();
  const told = next();
  await hand.pass(14 * SECOND);
  hand.tell(batch(1, { alerts: true }));
  expect(await told).toMatch(/^id: 1\nevent: alerts/);
  const beats = next();
  await hand.pass(14 * SECOND);
  hand.tell(batch(2, { alerts: true }));
  expect(await beats).toMatch(/^id: 2\nevent: alerts/);
});

test('a token that is revoked hears nothing more after a minute, however much there is to tell', async () => {
  const hand = byHand();
  const { renew, asked } = revoked();
  const { next } = open(hand, { renew });
  await next();
  for (let second = 1; second < 60; second++) {
    const told = next();
    await hand.pass(SECOND);
    hand.tell(batch(second, { alerts: true }));
    expect(await told).toContain(`id: ${second}\n`);
  }
  expect(asked()).toBe(0);
  hand.clock.advance(SECOND);
  hand.tell(batch(60, { alerts: true }));
  await expect(next()).rejects.toThrow('revoked');
  expect([asked(), hand.feed.size]).toEqual([1, 0]);
});

test('so it is while a client is told what it has missed', async () => {
  const hand = byHand([1, 2, 3].map((id) => batch(id, { alerts: true })));
  const { next } = open(hand, { after: 1, renew: revoked().renew });
  await next();
  expect(await next()).toMatch(/^id: 2\n/);
  // So slowly it takes what it is told.
  hand.clock.advance(60 * SECOND);
  await expect(next()).rejects.toThrow('revoked');
});

test('who comes back hears what came after its place, then what comes', async () => {
  const hand = byHand([batch(1, { alerts: true }), batch(2, { fleet: true }), batch(3, { alerts: true })]);
  const { next } = open(hand, { after: 1 });
  expect(await next()).toContain('id: 1\nevent: open');
  expect(await next()).toMatch(/^id: 2\n/);
  hand.tell(batch(4, { fleet: true }));
  expect(await next()).toMatch(/^id: 3\n/);
  expect(await next()).toMatch(/^id: 4\n/);
});

test('who was there before anything had changed, and missed the first changes, reads all anew', async () => {
  const { next } = open(byHand([batch(1, { alerts: true })]), { after: 0 });
  await next();
  expect(await next()).toMatch(/^id: 1\nevent: resync/);
});

test('a client that is gone is listened for no more', async () => {
  const hand = byHand();
  const { next, gone } = open(hand);
  await next();
  const waiting = next();
  gone.abort();
  expect(await waiting).toBe('ended');
  expect(hand.feed.size).toBe(0);
});

test('who may see some tasks hears nothing of others, nor of what is no task', async () => {
  const hand = byHand();
  const { next } = open(hand, { sees: async () => new Set(['a']) });
  await next();
  const run = { id: 'r', taskName: 'b', state: 'running', attempt: 1, at: '2026-03-29T01:00:00.000Z' } as const;
  hand.tell(batch(1, { runs: [run], actions: [entry('task:b'), entry('pool:p')], fleet: true, crontabs: true }));
  hand.tell(batch(2, { runs: [run, { ...run, taskName: 'a' }] }));
  expect(await next()).toBe(`id: 2\nevent: runs\ndata: ${JSON.stringify([{ ...run, taskName: 'a' }])}\n\n`);
});

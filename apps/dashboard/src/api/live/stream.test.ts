import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LiveStream, type Source } from './stream.ts';
import { type Topic, touchedBy } from './topics.ts';

/** Stands in for the browser's EventSource. */
class Fake implements Source {
  readonly #listeners = new Map<string, () => void>();
  isClosed = false;

  addEventListener(name: string, listener: () => void): void {
    this.#listeners.set(name, listener);
  }

  close(): void {
    this.isClosed = true;
  }

  tell(name: string): void {
    this.#listeners.get(name)?.();
  }
}

let sources: Fake[];
let heard: Topic[][];
let time: number;
let stream: LiveStream;
const latest = () => sources.at(-1) ?? new Fake();

beforeEach(() => {
  vi.useFakeTimers();
  sources = [];
  time = 0;
  heard = [];
  stream = new LiveStream({
    open: () => {
      sources.push(new Fake());
      return latest();
    },
    now: () => time,
    random: () => 1,
    onEvents: (topics) => heard.push([...topics]),
    onRefused: () => undefined,
  });
  stream.start();
  latest().tell('open');
});

afterEach(() => {
  stream.stop();
  vi.useRealTimers();
});

test('events of a second are told together', () => {
  for (const topic of ['runs', 'runs', 'actions']) latest().tell(topic);
  expect(heard).toEqual([]);
  vi.advanceTimersByTime(1000);
  expect(heard).toEqual([['runs', 'actions']]);
});

test('a stream that is cut off is opened again, ever later, and then all is read anew', () => {
  latest().tell('error');
  expect(stream.state.kind).toBe('reconnecting');
  vi.advanceTimersByTime(999);
  expect(sources).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(sources).toHaveLength(2);
  latest().tell('error');
  vi.advanceTimersByTime(1999);
  expect(sources).toHaveLength(2);
  vi.advanceTimersByTime(1);
  latest().tell('open');
  expect(stream.state.kind).toBe('live');
  vi.advanceTimersByTime(1000);
  expect(heard).toEqual([['resync']]);
});

test('it is opened again as soon as an API that was away answers anything', () => {
  for (let tries = 0; tries < 6; tries++) {
    latest().tell('error');
    vi.advanceTimersByTime(30_000);
  }
  latest().tell('error');
  stream.unanswered();
  stream.answered();
  const before = sources.length;
  vi.advanceTimersByTime(1000);
  expect(sources).toHaveLength(before + 1);
});

test('a stream that alone is refused waits its turn, whatever else is answered', () => {
  latest().tell('error');
  vi.advanceTimersByTime(1000);
  latest().tell('error');
  stream.answered();
  vi.advanceTimersByTime(1999);
  expect(sources).toHaveLength(2);
  vi.advanceTimersByTime(1);
  expect(sources).toHaveLength(3);
});

test('what was not answered before the stream was cut says nothing of after', () => {
  stream.unanswered();
  latest().tell('error');
  vi.advanceTimersByTime(1000);
  latest().tell('error');
  stream.answered();
  vi.advanceTimersByTime(1000);
  expect(sources).toHaveLength(2);
});

test('a connection that never says anything is tried anew after 10 s', () => {
  latest().tell('error');
  vi.advanceTimersByTime(1000 + 9999);
  expect([sources.length, latest().isClosed]).toEqual([2, false]);
  vi.advanceTimersByTime(1);
  expect([stream.state.kind, latest().isClosed]).toEqual(['reconnecting', true]);
});

test('without a keep-alive the connection is dead', () => {
  vi.advanceTimersByTime(30_000);
  latest().tell('keep-alive');
  vi.advanceTimersByTime(31_000);
  expect(stream.state.kind).toBe('live');
  vi.advanceTimersByTime(1000);
  expect([stream.state.kind, sources[0]?.isClosed]).toEqual(['reconnecting', true]);
});

test('a server that tells events sends no heartbeat: the connection lives by them', () => {
  for (const topic of ['runs', 'crontabs', 'resync']) {
    vi.advanceTimersByTime(31_000);
    latest().tell(topic);
  }
  expect([stream.state.kind, sources.length]).toEqual(['live', 1]);
  vi.advanceTimersByTime(32_000);
  expect(stream.state.kind).toBe('reconnecting');
});

test('while it is paused nothing is open; going on reads all anew', () => {
  stream.pause();
  expect([latest().isClosed, stream.state.kind]).toEqual([true, 'paused']);
  vi.advanceTimersByTime(120_000);
  expect(sources).toHaveLength(1);
  stream.resume();
  expect([sources.length, heard]).toEqual([2, [['resync']]]);
});

test('what an event touches is read anew, and no more', () => {
  expect(touchedBy(new Set(['fleet']))).toEqual(['workers', 'schedulers', 'pools', 'doctor', 'fleet']);
  expect(touchedBy(new Set(['crontabs']))).toEqual(['shadow']);
  expect(touchedBy(new Set(['runs', 'actions']))).toBe('all');
});

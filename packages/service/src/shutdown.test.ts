import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createManualTimer } from '../test/manual-timer.ts';
import { createMemoryLog } from '../test/memory-log.ts';
import { runUntilSignal } from './shutdown.ts';

function setUp(stop: () => Promise<void> = async () => undefined) {
  const timer = createManualTimer();
  const signals = new EventEmitter();
  const exits: { code: number; atMs: number }[] = [];
  const reasons: string[] = [];
  const { log, lines } = createMemoryLog({ timer, clock: timer.clock });
  const running = runUntilSignal({
    stop: (reason) => {
      reasons.push(reason);
      return stop();
    },
    graceMs: 30_000,
    log,
    exit: (code) => exits.push({ code, atMs: timer.clock.monotonicMs() }),
    signals,
    timer,
  });
  return { timer, signals, exits, reasons, messages: () => lines.map((line) => line.msg), running };
}

const never = () => new Promise<void>(() => undefined);

test('the first signal stops once, and the process exits 0 when all is stopped', async () => {
  let stopped: () => void = () => undefined;
  const { timer, signals, exits, reasons } = setUp(() => new Promise((resolve) => (stopped = resolve)));
  signals.emit('SIGTERM');
  await timer.advance(20_000);
  expect(exits).toEqual([]);
  stopped();
  await timer.advance(0);
  expect(exits).toEqual([{ code: 0, atMs: 20_000 }]);
  expect(reasons).toEqual(['SIGTERM']);
  expect(timer.pending()).toEqual([]);
});

test('a second signal ends the process at once', async () => {
  const { timer, signals, exits, reasons } = setUp(never);
  signals.emit('SIGTERM');
  signals.emit('SIGINT');
  await timer.advance(0);
  expect(exits).toEqual([{ code: 130, atMs: 0 }]);
  expect(reasons).toEqual(['SIGTERM']);
});

test('I11: a stop that hangs ends within the grace time plus 5 s', async () => {
  const { timer, signals, exits } = setUp(never);
  signals.emit('SIGINT');
  await timer.advance(35_000);
  expect(exits).toEqual([{ code: 1, atMs: 34_000 }]);
});

test('a stop that fails exits 1 and says why', async () => {
  const { timer, signals, exits, messages } = setUp(async () => {
    throw new Error('pool');
  });
  signals.emit('SIGTERM');
  await timer.advance(0);
  expect(exits.map(({ code }) => code)).toEqual([1]);
  expect(messages()).toContain('could not stop well');
});

test.each(['uncaughtException', 'unhandledRejection'])('%s is logged, stops and exits 1', async (event) => {
  const { timer, signals, exits, reasons, messages } = setUp();
  signals.emit(event, new Error('stray'));
  await timer.advance(0);
  expect(exits.map(({ code }) => code)).toEqual([1]);
  expect(reasons).toHaveLength(1);
  expect(messages()[0]).toBe('error that nobody caught');
});

test('an error that nobody caught while it stops turns exit 0 into 1, and stops nothing twice', async () => {
  let stopped: () => void = () => undefined;
  const { timer, signals, exits, reasons } = setUp(() => new Promise((resolve) => (stopped = resolve)));
  signals.emit('SIGTERM');
  signals.emit('unhandledRejection', new Error('stray'));
  await timer.advance(0);
  stopped();
  await timer.advance(0);
  expect(exits.map(({ code }) => code)).toEqual([1]);
  expect(reasons).toHaveLength(1);
});

test('a main can end the process itself; dispose takes the listeners away', async () => {
  const { timer, signals, exits, running } = setUp();
  running.shutdown('no tasks', 3);
  await timer.advance(0);
  expect(exits.map(({ code }) => code)).toEqual([3]);
  running.dispose();
  expect(signals.eventNames()).toEqual([]);
});

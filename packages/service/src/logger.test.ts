import { EscapementError } from '@escapement/core';
import { expect, test } from 'vitest';
import { createManualTimer } from '../test/manual-timer.ts';
import { createMemoryLog } from '../test/memory-log.ts';

function setUp() {
  const timer = createManualTimer();
  return { timer, ...createMemoryLog({ timer, clock: timer.clock }) };
}

test('a line has time, level in words, service, instance, fields and message', () => {
  const { log, lines } = setUp();
  log.child({ who: 'planner' }).info({ runId: 'r1', fence: 7n }, 'planned');
  expect(lines).toEqual([
    {
      level: 'info',
      time: '2026-01-01T00:00:00.000Z',
      service: 'test',
      instance: 'here:1',
      who: 'planner',
      runId: 'r1',
      fence: 7,
      msg: 'planned',
    },
  ]);
});

test('an error is written with type, message, stack and cause', () => {
  const { log, lines } = setUp();
  log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'pass failed');
  expect(lines[0]?.err).toMatchObject({ type: 'Error', message: 'outer', cause: { message: 'inner' } });
});

test('what the client of Redis adds to its errors, the command with the password in it, is not written', () => {
  const { log, texts } = setUp();
  const error = Object.assign(new Error('WRONGPASS invalid'), {
    command: { name: 'hello', args: ['3', 'AUTH', 'hidden'] },
  });
  log.warn({ err: new Error('outer', { cause: error }) }, 'see below');
  log.warn({ err: new AggregateError([error], 'all') }, 'see below');
  log.warn({ err: error }, 'see below');
  expect(texts.join('')).toContain('WRONGPASS');
  expect(texts.join('')).not.toContain('hidden');
});

test('an error that a user can mend is written without its stack, with what helps', () => {
  const { log, lines } = setUp();
  log.warn({ err: new EscapementError('redis_refused', 'no', { fix: 'do', cause: new Error('x') }) }, 'see');
  expect(lines[0]?.err).toEqual({ type: 'EscapementError', message: 'no', code: 'redis_refused', fix: 'do' });
});

test('lines below the level are not written', () => {
  const { log, lines } = createMemoryLog({ level: 'warn' });
  log.info({}, 'a');
  log.warn({}, 'b');
  expect(lines.map((line) => line.msg)).toEqual(['b']);
});

test('passwords in URLs never reach a line, wherever they come from', () => {
  const { log, texts } = setUp();
  log.warn({ err: new Error('cannot reach postgres://app:s3cret@db/jobs') }, 'see redis://:s3cret@cache');
  expect(texts.join('')).not.toContain('s3cret');
});

test('I11: warnings and errors share 10 lines in any second, children included; the rest is summed up', async () => {
  const { log, lines, timer } = setUp();
  const child = log.child({ who: 'worker' });
  for (let i = 0; i < 100; i++) {
    log.error({ attempt: i }, `Redis is away for ${i} ms`);
    child.warn({}, 'begin failed');
    child.error({ err: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }, 'pass failed');
  }
  expect(lines).toHaveLength(9);
  await timer.advance(1000);
  expect(lines).toHaveLength(10);
  expect(lines.at(-1)).toMatchObject({
    level: 'warn',
    who: 'log',
    msg: 'and 291 more like this',
    heldBack: { 'Redis is away for # ms': 97, 'begin failed': 97, 'pass failed (ECONNREFUSED)': 97 },
  });
});

test('information and the last words of a process are never held back', () => {
  const { log, lines } = setUp();
  for (let i = 0; i < 50; i++) log.info({}, 'run ended');
  for (let i = 0; i < 50; i++) log.fatal({}, 'could not stop');
  expect(lines).toHaveLength(100);
});

test('end writes the sum of what is held back', async () => {
  const { log, lines } = setUp();
  for (let i = 0; i < 7; i++) log.warn({}, 'late');
  await log.end();
  expect(lines.at(-1)?.msg).toBe('and 2 more like this');
});

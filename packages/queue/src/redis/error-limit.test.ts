import { expect, test } from 'vitest';
import { createErrorLimit } from './error-limit.ts';

function setUp(onError?: (error: Error) => void) {
  let nowMs = 0;
  const heard: string[] = [];
  const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };
  const limit = createErrorLimit(onError ?? ((error) => heard.push(error.message)), clock);
  return { heard, say: (message: string) => limit(new Error(message)), advance: (ms: number) => (nowMs += ms) };
}

test('the same error is heard of once in 10 s', () => {
  const { heard, say, advance } = setUp();
  for (let i = 0; i < 200; i++) {
    say('ECONNREFUSED');
    advance(100);
  }
  expect(heard).toHaveLength(2);
});

test('different errors are heard of at most twice in a second', () => {
  const { heard, say, advance } = setUp();
  for (let i = 0; i < 1000; i++) {
    say(`error of job ${i}`);
    advance(10);
  }
  expect(heard).toHaveLength(20);
});

test('a listener that throws does no harm, and none is needed', () => {
  const { say } = setUp(() => {
    throw new Error('listener');
  });
  expect(() => say('x')).not.toThrow();
  expect(() => createErrorLimit(undefined)(new Error('x'))).not.toThrow();
});

import { expect, test } from 'vitest';
import { type EndingContext, outcomeOfProcessEnding, type ProcessEnding } from './ending.ts';

const { signal } = new AbortController();

function failureOf(ending: Partial<ProcessEnding>, context: Partial<EndingContext> = {}) {
  const outcome = outcomeOfProcessEnding(
    { code: null, signal: null, lastWords: '', ...ending },
    { memoryLimitMb: 512, killed: undefined, entered: true, signal, blockedMs: 0, ...context },
  );
  if (outcome.status !== 'failed') throw new Error('an end in the middle of a run is a failure');
  return outcome;
}

test('whatever ended it, nobody knows how far the work came', () => {
  expect(failureOf({ code: 3 })).toMatchObject({ work: 'cut_off', exitCode: 3 });
});

test('code 0 is what Node says of a real-time signal too', () => {
  const outcome = failureOf({ code: 0 });
  expect(outcome).toMatchObject({
    work: 'cut_off',
    error: { message: 'its process ended with exit code 0, or by a real-time signal, before the handler did' },
  });
  expect(outcome).not.toHaveProperty('exitCode');
});

test('a heap that is exhausted is told from other aborts by what V8 says last', () => {
  const lastWords = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory';
  expect(failureOf({ signal: 'SIGABRT', lastWords }).error).toEqual({
    name: 'OutOfMemory',
    message: 'allocated more than its memory limit of 512 MB',
  });
  expect(failureOf({ signal: 'SIGABRT' }).error.message).toBe('its process ended by SIGABRT before the handler did');
});

test('what ended before the handler was called has done no work', () => {
  expect(failureOf({ code: 3 }, { entered: false })).toMatchObject({
    work: 'not_begun',
    error: { message: 'its process ended with exit code 3 before the handler was called' },
  });
  const killed = { why: 'unloaded', waitedMs: 60_000 } as const;
  expect(failureOf({ signal: 'SIGKILL' }, { killed, entered: false })).toMatchObject({
    work: 'not_begun',
    error: { name: 'TaskNotLoaded', message: 'its module was not loaded within 1 min' },
  });
});

test('a process that was killed for its memory says how much that was', () => {
  const { message } = failureOf({ signal: 'SIGKILL' }, { killed: { why: 'memory', heldMb: 803 } }).error;
  expect(message).toBe('allocated more than its memory limit of 512 MB (its process held 803 MB)');
});

test('the last words of a process that crashed are kept', () => {
  const { error } = failureOf({ code: 1, lastWords: 'native addon: bad handle\n' });
  expect(error.fields).toEqual({ lastWords: 'native addon: bad handle' });
});

test('a blocked event loop is told in the error, and for the reason of a run that was stopped', () => {
  const { error, seen } = failureOf(
    { signal: 'SIGKILL' },
    { killed: { why: 'stubborn', waitedMs: 2500 }, blockedMs: 9000 },
  );
  expect(error.message).toMatch(
    /^was killed 2\.5 s after it was told to stop because .*; its event loop was blocked for 9 s$/,
  );
  expect(seen).toBe('its event loop was blocked for 9 s');
});

test('a handler that merely ignored its abort is told of as well', () => {
  const { seen } = failureOf({ signal: 'SIGKILL' }, { killed: { why: 'stubborn', waitedMs: 2500 } });
  expect(seen).toBe('it did not end when told to, and was killed');
});

import { describe, expect, test } from 'vitest';
import { type Ending, outcomeOfEnding } from './ending.ts';

function outcome(ending: Partial<Ending>, lastLines = '') {
  const whole = { code: null, signal: null, stopped: false, ...ending };
  return outcomeOfEnding(whole, { stopReason: 'its time limit was reached', path: '/bin', lastLines });
}

describe('outcomeOfEnding', () => {
  test('0 is success', () => {
    expect(outcome({ code: 0 })).toEqual({ status: 'succeeded', exitCode: 0 });
  });

  test.each([
    [3, 'exited with code 3'],
    [126, 'exited with code 126: a command was found but could not be executed (permission, or not a program)'],
    [127, 'exited with code 127: a command was not found (PATH was /bin)'],
    [137, 'exited with code 137: a command in it was killed by SIGKILL, perhaps for lack of memory'],
    [143, 'exited with code 143: a command in it was killed by SIGTERM'],
    [255, 'exited with code 255'],
  ])('code %i says what it means', (code, message) => {
    expect(outcome({ code })).toMatchObject({ status: 'failed', exitCode: code, error: { message } });
  });

  test('a signal has no exit code', () => {
    const result = outcome({ signal: 'SIGSEGV' });
    expect(result).toMatchObject({ error: { message: 'was killed by SIGSEGV', fields: { signal: 'SIGSEGV' } } });
    expect(result).not.toHaveProperty('exitCode');
  });

  test('after a stop even 0 is no success, since the work may be half done', () => {
    expect(outcome({ code: 0, stopped: true })).toMatchObject({
      status: 'failed',
      error: {
        name: 'Aborted',
        message: 'stopped because its time limit was reached (the process exited with code 0)',
      },
    });
  });

  test('the last lines of the output go with the error', () => {
    expect(outcome({ code: 1 }, 'disk full')).toMatchObject({ error: { fields: { lastLines: 'disk full' } } });
  });
});

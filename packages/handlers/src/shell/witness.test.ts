import { expect, test } from 'vitest';
import { endingIn, endingOfWitness } from './witness.ts';

test('a shell names a signal in words before it gives the code', () => {
  expect(endingIn('=0\n')).toEqual({ code: 0, signal: null });
  expect(endingIn('=162\n')).toEqual({ code: 162, signal: null });
  expect(endingIn('Real-time signal 0\n=162\n')).toEqual({ code: null, signal: 'SIGRTMIN' });
  expect(endingIn('escapement: line 4: 12 Killed   ( exec "$@" ) 2>&1\n=137\n')).toEqual({
    code: null,
    signal: 'SIGKILL',
  });
  expect(endingIn('=255\n')).toEqual({ code: 255, signal: null });
});

test('shells have no words for SIGINT and SIGPIPE', () => {
  expect(endingIn('=130\n')).toEqual({ code: 130, signal: null, perhaps: 'SIGINT' });
  expect(endingIn('=141\n')).toEqual({ code: 141, signal: null, perhaps: 'SIGPIPE' });
});

test('without a whole report nothing is known of the command, and it did not succeed', () => {
  for (const report of ['', '=', '=0', 'sh: 5: Cannot fork\n']) expect(endingIn(report)).toBeUndefined();
  expect(endingOfWitness({ code: 0, signal: null })).toEqual({ code: null, signal: 'a signal without a name' });
  expect(endingOfWitness({ code: 2, signal: null })).toEqual({ code: 2, signal: null });
});

import { expect, test } from 'vitest';
import { loadPart, PartGone } from './load-part.ts';

const notLoaded = () => new TypeError('Failed to fetch dynamically imported module: /assets/screen-1.js');

/** A server as it is at each try, one after the other; the last one stays. */
function server(...tries: readonly ('away' | 'there' | 'has it')[]) {
  const waits: number[] = [];
  let at = 0;
  const now = () => tries[Math.min(at, tries.length - 1)];
  return {
    waits,
    load: async () => {
      if (now() === 'has it') return 'the part';
      throw notLoaded();
    },
    options: {
      isThere: async () => now() !== 'away',
      wait: async (ms: number) => {
        waits.push(ms);
        at += 1;
      },
    },
  };
}

test('a part that is there is loaded once', async () => {
  const { load, options, waits } = server('has it');
  expect([await loadPart(load, options), waits]).toEqual(['the part', []]);
});

test('while the server is away it is asked again, ever later', async () => {
  const { load, options, waits } = server('away', 'away', 'away', 'away', 'away', 'away', 'has it');
  expect(await loadPart(load, options)).toBe('the part');
  expect(waits).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
});

test('a server that is back after the try is asked once more', async () => {
  const { load, options } = server('there', 'has it');
  expect(await loadPart(load, options)).toBe('the part');
});

test('a server that answers and does not have it has another version, however long it was away', async () => {
  const { load, options, waits } = server('away', 'away', 'there', 'there');
  await expect(loadPart(load, options)).rejects.toThrow(PartGone);
  expect(waits).toHaveLength(3);
});

test('one that goes away again is waited for', async () => {
  const { load, options } = server('there', 'away', 'there', 'has it');
  expect(await loadPart(load, options)).toBe('the part');
});

test.each([
  ['Firefox', 'error loading dynamically imported module: http://localhost/assets/a.js'],
  ['Safari', 'Importing a module script failed.'],
  ['Vite, of styles', 'Unable to preload CSS for /assets/a.css'],
])('as %s says it', async (_, message) => {
  let tries = 0;
  const load = async () => {
    tries += 1;
    if (tries === 1) throw new TypeError(message);
    return 'the part';
  };
  expect(await loadPart(load, server('away').options)).toBe('the part');
});

test('what the part itself throws is told at once', async () => {
  const load = async () => {
    throw new Error('a mistake');
  };
  await expect(loadPart(load, server('away').options)).rejects.toThrow('a mistake');
});

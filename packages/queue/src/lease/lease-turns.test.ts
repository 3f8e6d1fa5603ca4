import { expect, test } from 'vitest';
import { createTurns } from './lease-turns.ts';

/** Works that note when they begin and end when told. */
function setUp() {
  const turns = createTurns();
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const start = (work: string, name = 'k') =>
    turns(name, async () => {
      begun.push(work);
      await new Promise<void>((resolve, reject) => ends.set(work, (error) => (error ? reject(error) : resolve())));
      return work;
    });
  const settled = () => new Promise(setImmediate);
  return { begun, start, settled, end: (work: string, error?: Error) => ends.get(work)?.(error) };
}

test('works of one name come one after the other, and those of another name beside them', async () => {
  const { begun, start, settled, end } = setUp();
  const [first, second] = [start('first'), start('second')];
  void start('other', 'o');
  await settled();
  expect(begun).toEqual(['first', 'other']);
  end('first');
  expect(await first).toBe('first');
  await settled();
  end('second');
  expect(await second).toBe('second');
});

test('who comes when the first has ended waits for the second', async () => {
  const { begun, start, settled, end } = setUp();
  const first = start('first');
  void start('second');
  end('first');
  await first;
  await settled();
  void start('third');
  await settled();
  expect(begun).toEqual(['first', 'second']);
});

test('a work that fails holds nobody up', async () => {
  const { begun, start, settled, end } = setUp();
  const [first, second] = [start('first'), start('second')];
  end('first', new Error('bad'));
  await expect(first).rejects.toThrow('bad');
  await settled();
  end('second');
  expect(await second).toBe('second');
  void start('third');
  expect(begun).toEqual(['first', 'second', 'third']);
});

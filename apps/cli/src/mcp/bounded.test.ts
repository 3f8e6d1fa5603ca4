import { expect, test } from 'vitest';
import { bounded, MOST_RESULT, plain } from './bounded.ts';

const size = (value: unknown) => JSON.stringify(value).length;

test('what fits is left as it is', () => {
  const value = { items: [{ id: '1', error: null, at: '2026-03-29T01:00:00.000Z' }], next: null };
  expect(bounded(value)).toEqual({ value, cuts: [] });
});

test('a long text is cut, and it is told where and how much', () => {
  const { value, cuts } = bounded({ output: { log: 'x'.repeat(100_000) } });
  expect(size(value)).toBeLessThanOrEqual(MOST_RESULT);
  expect(cuts).toEqual(['output.log: 8000 of 100000 characters']);
});

test('a long list is cut, then what is in it', () => {
  const { value, cuts } = bounded({ items: Array.from({ length: 5000 }, (_, id) => ({ id, text: 'y'.repeat(50) })) });
  expect(size(value)).toBeLessThanOrEqual(MOST_RESULT);
  expect(cuts).toEqual(['items: 200 of 5000 entries']);
});

test.each([
  ['many fields', Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`field ${index}`, 'z'.repeat(50)]))],
  ['deep lists', Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => Array(50).fill('w'.repeat(500))))],
  ['emoji', ['\u{1f600}'.repeat(100_000)]],
])('%s fit too, as JSON that a strict reader takes', (_, value) => {
  const cut = bounded(value);
  expect(size(cut.value)).toBeLessThanOrEqual(MOST_RESULT);
  expect(cut.cuts.length).toBeGreaterThan(0);
  expect(cut.cuts.length).toBeLessThanOrEqual(9);
  expect(JSON.stringify(cut.value)).not.toMatch(/\\ud[89ab]/);
});

test('a long name of a field is cut', () => {
  const { value } = bounded({ ['n'.repeat(1_000_000)]: 'x'.repeat(10_000) });
  expect(size(value)).toBeLessThanOrEqual(MOST_RESULT);
  expect(bounded({ ['n'.repeat(1_000_000)]: 'x'.repeat(10_000) }).cuts).toEqual([
    `${'n'.repeat(60)}: 8000 of 10000 characters`,
  ]);
});

test('what is nested too deep is cut off', () => {
  let value: unknown = 'in the middle';
  for (let depth = 0; depth < 100; depth++) value = { value };
  expect(JSON.stringify(bounded(value).value)).not.toContain('in the middle');
});

test('what a person would not see is shown', () => {
  expect(plain('a\u001b[31mb\u202ec\u{e0049}\u{e0067}')).toBe('a\\x1b[31mb\\u202ec\\u{e0049}\\u{e0067}');
  expect(bounded({ 'a\u{e0041}': ['\u{e0042}'] }).value).toEqual({ 'a\\u{e0041}': ['\\u{e0042}'] });
});

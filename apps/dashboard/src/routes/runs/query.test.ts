import { expect, test } from 'vitest';
import { completed, completions } from './complete.ts';
import { termIn, termsOf, withTerm } from './query-text.ts';

test('a quoted value may have spaces', () => {
  expect(termsOf('state:failed error:"connect ECONNREFUSED" since:-24h')).toEqual([
    'state:failed',
    'error:"connect ECONNREFUSED"',
    'since:-24h',
  ]);
});

test('a term is read, replaced and taken out, and others stay as they are', () => {
  const query = 'task:a state:failed error:"x state:y"';
  expect(termIn(query, 'state')).toBe('failed');
  expect(withTerm(query, 'state', 'open')).toBe('task:a error:"x state:y" state:open');
  expect(withTerm(query, 'state', null)).toBe('task:a error:"x state:y"');
});

test('terms are completed, then their values, also behind a comma', () => {
  const texts = (query: string, tasks: string[] = []) =>
    completions(query, query.length, tasks).map(({ text }) => text);
  expect(texts('sta')).toEqual(['state:']);
  expect(texts('state:fai')).toEqual(['state:failed']);
  expect(texts('state:failed,tim')).toEqual(['state:failed,timed_out']);
  expect(texts('task:night', ['nightly-report'])).toEqual(['task:nightly-report']);
});

test('a completion stands where it was asked for', () => {
  expect(completed('since:-1h sta', 13, { text: 'state:', hint: '' })).toEqual({
    query: 'since:-1h state:',
    place: 16,
  });
  expect(completed('state:fa since:-1h', 8, { text: 'state:failed', hint: '' })).toEqual({
    query: 'state:failed since:-1h',
    place: 13,
  });
});

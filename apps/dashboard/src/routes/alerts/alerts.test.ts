import { expect, test } from 'vitest';
import { matchOf } from './match.ts';

test('a silence is about what the alert is about, and its rule', () => {
  expect(matchOf({ rule: 'failed', labels: { task: 'import', team: 'shop' } })).toBe('task=import,rule=failed');
  expect(matchOf({ rule: 'slow', labels: { pool: 'gpu' } })).toBe('pool=gpu,rule=slow');
  expect(matchOf({ rule: 'nobody-plans', labels: {} })).toBe('rule=nobody-plans');
});

import { expect, it } from 'vitest';
import { createErrorCount } from './error-count.ts';

it('lines that differ in ids and numbers alone are of one kind', () => {
  const errors = createErrorCount();
  errors.add('worker 1: run 01941f29-7c00-7000-8000-000000000001 was lost after 10 s');
  errors.add('worker 2: run 01941f29-7c00-7000-8000-000000000002 was lost after 11 s');
  errors.add('scheduler 0: Connection terminated');
  expect(errors.take()).toEqual(['2 x worker N: run ID was lost after N s', '1 x scheduler N: Connection terminated']);
});

it('what was taken is forgotten', () => {
  const errors = createErrorCount();
  errors.add('one');
  errors.take();
  expect(errors.take()).toEqual([]);
});

import { expect, test } from 'vitest';
import { ApiAway, ApiProblem } from './problem.ts';
import { againAfter } from './query-client.ts';

const answered = (status: number) =>
  new ApiProblem({ title: '', status, code: 'some_code', detail: 'no', requestId: '' });

test.each([
  ['nobody answers', { status: 'error', error: new ApiAway('cut') }, 10_000],
  ['what the server needs is away', { status: 'error', error: answered(503) }, 10_000],
  ['it is refused for good', { status: 'error', error: answered(403) }, false],
  ['it was answered', { status: 'success', error: null }, false],
  ['it is asked for the first time', { status: 'pending', error: null }, false],
])('when a query asks again by itself where %s', (_, state, after) => {
  expect(againAfter(state)).toBe(after);
});

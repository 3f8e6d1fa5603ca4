import { expect, test } from 'vitest';
import { isLegalMove, OPEN_STATES, RUN_STATES, TERMINAL_STATES } from './run-state.ts';

test('a state is open or terminal, and a terminal one leads nowhere', () => {
  expect([...OPEN_STATES, ...TERMINAL_STATES].sort()).toEqual([...RUN_STATES].sort());
  for (const from of TERMINAL_STATES) expect(RUN_STATES.filter((to) => isLegalMove(from, to))).toEqual([]);
});

test.each(['planned', 'queued', 'retrying'] as const)('a worker may begin a run that is %s', (from) => {
  // Of a planned or retrying one the queue was told, and the mark that it has it is still on its way.
  expect(isLegalMove(from, 'running')).toBe(true);
});

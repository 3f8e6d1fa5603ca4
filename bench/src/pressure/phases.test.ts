import { expect, it } from 'vitest';
import { chosenPhases, PHASES } from './phases.ts';

it('without names all phases run', () => {
  expect(chosenPhases(undefined)).toEqual(PHASES);
});

it('the clean phase comes first, named or not', () => {
  expect(chosenPhases(['worker-kill', 'readers']).map(({ name }) => name)).toEqual(['clean', 'readers', 'worker-kill']);
});

it('a name that is none is refused', () => {
  expect(() => chosenPhases(['reader'])).toThrow('--only reader: there are clean, holder, readers');
});

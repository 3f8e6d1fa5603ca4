import { expect, test } from 'vitest';
import { type Branch, branchesOf, type Chain } from './branches.ts';

const link = (from: string, to: string, ...on: Chain['links'][number]['on']) => ({ from, to, on });
const chain: Chain = {
  tasks: ['watch', 'import', 'report', 'mail'].map((id) => ({ id, name: id, state: 'active' })),
  links: [
    link('watch', 'import', 'onStart'),
    link('import', 'report', 'success'),
    link('import', 'mail', 'failure'),
    link('report', 'mail', 'success', 'onFailure'),
  ],
  ...{ hidden: 0, isCut: false },
};

const drawn = (branches: readonly Branch[]): unknown =>
  branches.map(({ task, wasShown, beyond }) => [task.name + (wasShown ? '*' : ''), ...(drawn(beyond) as unknown[])]);

test('what starts a task, and what it starts, are trees; a task that is there already is not gone through again', () => {
  expect(drawn(branchesOf(chain, 'import', 'before'))).toEqual([['watch']]);
  expect(drawn(branchesOf(chain, 'import', 'after'))).toEqual([['report', ['mail']], ['mail*']]);
  expect(drawn(branchesOf(chain, 'mail', 'before'))).toEqual([
    ['import', ['watch']],
    ['report', ['import*']],
  ]);
});

import { type Labels, matchesSelector, parseSelector } from '@escapement/core/rights';
import { testFleet } from '@escapement/testkit/fleet';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { selectTasks } from '../src/index.ts';

const { db, save } = await testFleet();

test('tasks are selected as core says', async () => {
  const word = fc.constantFrom('a', 'b', 'team', 'toString', 'x.y/z');
  const key = fc.constantFrom('a', 'b', 'team', 'x.y/z');
  const selector = fc
    .uniqueArray(fc.tuple(key, fc.uniqueArray(word, { minLength: 1, maxLength: 3 })), {
      minLength: 1,
      maxLength: 3,
      selector: ([name]) => name,
    })
    .map((terms) => parseSelector(terms.map(([name, values]) => `${name}=${values.join('|')}`).join(',')));
  const given: (Labels | undefined)[] = fc.sample(
    fc.option(fc.dictionary(key, word, { maxKeys: 4 }), { nil: undefined }),
    40,
  );
  for (const [index, labels] of given.entries()) await save({ name: `task-${index}`, ...(labels ? { labels } : {}) });
  await fc.assert(
    fc.asyncProperty(selector, async (which) => {
      const expected = given.flatMap((labels, index) =>
        matchesSelector(which, labels ?? {}) ? [`task-${index}`] : [],
      );
      const found = await selectTasks(db, { labels: which });
      expect(found.map(({ name }) => name)).toEqual(expected.toSorted());
    }),
  );
});

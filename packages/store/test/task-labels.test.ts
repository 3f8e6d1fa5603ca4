import { type Labels, matchesSelector, parseSelector } from '@escapement/core/rights';
import { testDatabase } from '@escapement/testkit';
import fc from 'fast-check';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openDatabase, selectTasks } from '../src/index.ts';
import { makeTask } from './ledger.ts';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'labels' });
afterAll(() => db.close());
beforeEach(async () => void (await db.pool.query('TRUNCATE task CASCADE')));

const KEYS = ['team', 'env', 'tier'];
const VALUES = ['a', 'b', 'c'];

const labels = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES));
const selector = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), fc.subarray(VALUES, { minLength: 1 })), {
    selector: ([key]) => key,
    minLength: 1,
  })
  .map((terms) => parseSelector(terms.map(([key, values]) => `${key}=${values.join('|')}`).join(',')));

it('selectors find the tasks that core says they mean, by the labels of their latest definition', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(labels, { minLength: 1, maxLength: 3 }), { maxLength: 6 }),
      fc.array(selector, { maxLength: 3 }),
      async (tasks, selectors) => {
        await db.pool.query('TRUNCATE task CASCADE');
        // Each is saved with each of its labels, one after the other.
        for (const [index, versions] of tasks.entries())
          for (const given of versions) await label(`task-${index}`, given);
        const meant = (given: Labels) => selectors.some((each) => matchesSelector(each, given));
        const expected = tasks.flatMap((versions, index) => (meant(versions.at(-1) ?? {}) ? [`task-${index}`] : []));
        const found = await selectTasks(db, { labels: selectors });
        expect(found.map(({ name }) => name)).toEqual(expected);
      },
    ),
    { numRuns: 40 },
  );
});

it('rows of labels are written where labels have changed', async () => {
  const rows = async () =>
    (await db.pool.query('SELECT key, value, xmin FROM task_label ORDER BY key')).rows as { key: string }[];
  await label('export', { team: 'shop', env: 'test' });
  const before = await rows();
  expect(before).toMatchObject([
    { key: 'env', value: 'test' },
    { key: 'team', value: 'shop' },
  ]);
  await db.pool.query(`UPDATE task SET definition = definition || '{"description": "daily"}'`);
  expect(await rows()).toEqual(before);
  await db.pool.query(`UPDATE task SET definition = definition - 'labels'`);
  expect(await rows()).toEqual([]);
});

it('a task meets the selectors of its own namespace alone', async () => {
  await label('export', { team: 'shop' });
  const tasks = async (namespace: string) => {
    const { rows } = await db.pool.query('SELECT task_id FROM tasks_labelled($1, $2)', [
      ...[namespace, JSON.stringify([[{ key: 'team', values: ['shop'] }]])],
    ]);
    return rows.length;
  };
  expect([await tasks(db.namespace), await tasks('other')]).toEqual([1, 0]);
});

/** Saves a task with these labels. */
async function label(name: string, labels: Labels): Promise<void> {
  const { rowCount } = await db.pool.query(
    `UPDATE task SET definition = definition || jsonb_build_object('labels', $2::jsonb) WHERE name = $1`,
    [name, JSON.stringify(labels)],
  );
  if (rowCount === 0) await makeTask(db, { name, labels });
}

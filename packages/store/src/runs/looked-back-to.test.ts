import { expect, test } from 'vitest';
import type { Database } from '../postgres/database.ts';
import { lookedBackTo } from './looked-back-to.ts';
import type { RunFilter } from './run-conditions.ts';
import { looksThrough } from './runs-by-origin.ts';

/** Which statements are asked, where each answers with these rows. */
async function asked(filter: Omit<RunFilter, 'limit'>, rows: readonly { at: Date | null }[] = []) {
  const names: string[] = [];
  const query = async ({ name }: { name: string }) => {
    names.push(name);
    return { rows };
  };
  const db = Object.assign(Object.create(null), { namespace: 'default', hot: { query }, pool: { query } }) as Database;
  return { at: await lookedBackTo(db, { ...filter, limit: 1 }), names };
}

test.each<[string, Omit<RunFilter, 'limit'>, string[]]>([
  ['an origin', { origins: ['trigger'] }, ['looked_back_to_origin_origin']],
  ['an error', { error: 'x' }, ['looked_back_to_error']],
  ['an error and an origin', { error: 'x', origins: ['trigger'] }, ['looked_back_to_error_origin']],
  ['an error and a key', { error: 'x', key: 'k' }, ['looked_back_to_error_key']],
  ['an origin and a key', { origins: ['trigger'], key: 'k' }, []],
  ['a state', { states: ['failed'] }, []],
  ['neither', {}, []],
])('for runs of %s it is asked how far back was looked, or not', async (_, filter, names) => {
  expect(await asked(filter)).toEqual({ at: null, names });
});

test('where all were looked through there is no instant', async () => {
  const at = new Date(7);
  expect((await asked({ error: 'x' }, [{ at }])).at).toBe(at);
  expect((await asked({ error: 'x' }, [{ at: null }])).at).toBeNull();
});

test.each<[Omit<RunFilter, 'limit'>, boolean]>([
  [{ origins: ['trigger'] }, true],
  [{ origins: ['trigger'], states: ['succeeded', 'failed'] }, true],
  [{ origins: ['trigger'], states: ['failed'] }, false],
  [{ origins: ['trigger'], key: 'k' }, false],
  [{ origins: ['trigger'], key: 'k', states: ['succeeded'] }, false],
  [{ states: ['succeeded'] }, false],
  [{}, false],
])('that runs of %o are looked through is %s', (filter, looks) => {
  expect(looksThrough({ ...filter, limit: 1 })).toBe(looks);
});

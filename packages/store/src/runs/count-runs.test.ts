import type { RunState } from '@escapement/core';
import { expect, test } from 'vitest';
import type { Database } from '../postgres/database.ts';
import { type CountFilter, countRuns } from './count-runs.ts';

type Rows = readonly { state?: RunState; count: number }[];

/** Notes which statements are asked; each answers with these rows. */
function ledger(answers: Readonly<Record<string, Rows>> = {}) {
  const asked: string[] = [];
  const query = async ({ name }: { name: string }) => {
    asked.push(name);
    return { rows: answers[name] ?? [] };
  };
  const db = Object.assign(Object.create(null), { namespace: 'default', hot: { query }, pool: { query } }) as Database;
  return { asked, db };
}

async function statements(filter: Partial<CountFilter>, states: readonly RunState[]): Promise<string[]> {
  const { asked, db } = ledger();
  await countRuns(db, { ...filter, limit: 10 }, states);
  return asked.sort();
}

test.each<[string, RunState[], string[]]>([
  ['none', [], []],
  ['that are a phase each', ['failed', 'missed', 'held', 'unknown'], ['count_runs_of_phase']],
  ['that are a phase', ['failed'], ['count_runs_of_phase']],
  ['that go on', ['queued', 'running'], ['count_runs_of_phases_2']],
  ['that goes on', ['queued'], ['count_runs_of_phases_1']],
  ['of both kinds', ['queued', 'failed'], ['count_runs_of_phase', 'count_runs_of_phases_1']],
  ['of those that succeeded', ['succeeded'], ['count_runs_by_id_state']],
])('runs of states %s are counted by as few statements as there are ways', async (_, states, names) => {
  expect(await statements({}, states)).toEqual(names);
});

test.each<[string, Partial<CountFilter>]>([
  ['an error', { error: 'x' }],
  ['a key', { key: 'k' }],
  ['an origin', { origins: ['trigger'] }],
])('runs with %s are counted state by state', async (_, filter) => {
  expect(await statements(filter, ['failed', 'missed', 'queued'])).toHaveLength(3);
});

test('of the states that go on no more are counted than the limit', async () => {
  const rows: Rows = [
    { state: 'queued', count: 16 },
    { state: 'running', count: 3 },
  ];
  const { asked, db } = ledger({ count_runs_of_phases_2: rows });
  expect(await countRuns(db, { limit: 10 }, ['queued', 'running'])).toEqual(
    new Map([
      ['queued', 10],
      ['running', 3],
    ]),
  );
  expect(asked).toHaveLength(1);
});

test('where so many go on that some may not have been counted each state is counted by itself', async () => {
  const rows: Rows = [
    { state: 'queued', count: 15 },
    { state: 'running', count: 5 },
  ];
  const { asked, db } = ledger({ count_runs_of_phases_2: rows, count_runs_by_phases_state_state: [{ count: 7 }] });
  expect(await countRuns(db, { limit: 10 }, ['queued', 'running'])).toEqual(
    new Map([
      ['queued', 7],
      ['running', 7],
    ]),
  );
  expect(asked).toHaveLength(3);
});

test('the counts of all ways are told together', async () => {
  const { db } = ledger({
    count_runs_of_phase: [{ state: 'failed', count: 4 }],
    count_runs_of_phases_1: [{ state: 'queued', count: 2 }],
    count_runs_by_id_state: [{ count: 9 }],
  });
  expect(await countRuns(db, { limit: 10 }, ['failed', 'queued', 'succeeded'])).toEqual(
    new Map([
      ['failed', 4],
      ['queued', 2],
      ['succeeded', 9],
    ]),
  );
});

import { readdirSync, readFileSync } from 'node:fs';
import { IN_TURN, OVERLAP_RULES, type OverlapRules, overlapsWith } from '@escapement/core';
import { afterAll, expect, test } from 'vitest';
import { twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const ALL = overlapsWith(() => true);

/** The facts that the functions of the database ask for. */
const FACTS: { [fact: string]: (rules: OverlapRules) => boolean } = {
  ordered: ({ ordering }) => ordering !== 'none',
  'oldest-first': ({ ordering }) => ordering === 'oldest-first',
  'newest-first': ({ ordering }) => ordering === 'newest-first',
  replacing: ({ onBusy }) => onBusy === 'replace',
  'not-waiting': ({ onBusy }) => onBusy === 'skip',
  'without-slot': ({ takesSlot }) => !takesSlot,
};

async function sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  const { rows } = await one.pool.query(text, values);
  return rows;
}

const functions = new URL('../../../prisma/functions/', import.meta.url);
const files = readdirSync(functions).filter((name) => name.endsWith('.sql'));

test.each(Object.entries(FACTS))(
  'the database has the policies that are %s from the table in core',
  async (fact, holds) => {
    const [row] = await sql<{ names: string[] }>('SELECT overlap_policies($1) AS names', [fact]);
    expect(row?.names.sort()).toEqual(overlapsWith(holds).sort());
  },
);

test('the functions of the database ask for facts that there are, and not for policies by name', async () => {
  const asked = new Set<string>();
  for (const file of files) {
    const text = readFileSync(new URL(file, functions), 'utf8');
    for (const [, fact] of text.matchAll(/overlap_policies\('([^']+)'\)/g)) asked.add(fact ?? '');
    const named = text.match(new RegExp(`overlap\\s*(=|<>|IN|WHEN)[^\\n]*'(${ALL.join('|')})'`, 'g'));
    expect(named, file).toBeNull();
  }
  expect([...asked].sort()).toEqual([...Object.keys(FACTS), 'in-turn'].sort());
});

test('no code asks for a policy by its name', () => {
  const packages = new URL('../../', import.meta.url);
  const sources = readdirSync(packages, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      /^[^/]+\/src\/.*\.ts$/.test(file) && !/\.test\.ts$|\/generated\//.test(file) && file !== 'core/src/overlap.ts',
  );
  expect(sources.length).toBeGreaterThan(300);
  const asks = new RegExp(`(overlap|policy)\\w*\\)?( [!=]==? | <> | IN \\(| WHEN )'(${ALL.join('|')})'`);
  expect("CASE WHEN m.overlap <> 'allow'").toMatch(asks);
  expect(sources.filter((file) => asks.test(readFileSync(new URL(file, packages), 'utf8')))).toEqual([]);
});

test.each(ALL)(
  'a run of %s that must not be skipped by those it comes with takes its turn, if it takes a slot',
  async (policy) => {
    const [row] = await sql<{ turn: string }>('SELECT overlap_in_turn($1) AS turn', [policy]);
    expect(row?.turn).toBe(OVERLAP_RULES[policy].takesSlot ? IN_TURN : policy);
  },
);

test('the CHECKs know each policy, and the index of the orders those that have one', async () => {
  const [index] = await sql<{ text: string }>(
    `SELECT indexdef AS text FROM pg_indexes WHERE indexname = 'run_ordered'`,
  );
  expect(namesIn(index?.text)).toEqual(overlapsWith(({ ordering }) => ordering !== 'none').sort());
  const checks = await sql<{ text: string }>(
    `SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint
     WHERE conname IN ('task_overlap_known', 'run_words_are_known') AND conrelid IN ('task'::regclass, 'run'::regclass)`,
  );
  expect(checks.map(({ text }) => namesIn(text))).toEqual([ALL.toSorted(), ALL.toSorted()]);
});

function namesIn(text = ''): string[] {
  return ALL.filter((name) => text.includes(`'${name}'`)).sort();
}

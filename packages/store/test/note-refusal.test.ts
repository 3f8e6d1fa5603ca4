import { randomUUID } from 'node:crypto';
import { actionOf, type By, MINUTE } from '@escapement/core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { auditEntries, type Database, readAuditLog, recordRefusal } from '../src/index.ts';
import { twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one: db } = processes;
const other: Database = { ...db, namespace: 'other' };
afterAll(() => processes.close());

const DETAIL = { right: 'trigger' };
let id = '';
beforeEach(() => {
  id = randomUUID();
});

const user = (kind: 'user' | 'token' = 'user'): By => actionOf({ kind, id, name: 'ann', address: null });

interface Refusal {
  name?: string;
  action?: string;
  detail?: { [field: string]: string };
  by?: By;
}

const refuse = ({ name = 'a', action = 'trigger', detail = DETAIL, by = user() }: Refusal = {}, at = db) =>
  recordRefusal(at, { task: name }, { action, detail, by });

interface Earlier {
  count?: number;
  ageMs?: number;
  namespace?: string;
  refused?: boolean;
  subject?: string;
}

/** Entries of the principal from before. */
async function earlier(entry: Earlier = {}): Promise<void> {
  const { count = 1, ageMs = 0, namespace = db.namespace, refused = true, subject = 'task:other' } = entry;
  await db.pool.query(
    `INSERT INTO audit (principal_kind, principal_id, principal_name, namespace, action, subject, detail, refused, at)
     SELECT 'user', $1, 'ann', $2, 'trigger', $3, $4, $5, now() - $6 * interval '1 ms' FROM generate_series(1, $7)`,
    [id, namespace, subject, JSON.stringify(DETAIL), refused, ageMs, count],
  );
}

const noted = (at = db) => readAuditLog(at, { principal: id, limit: 200 });

it('a refusal is noted with who was refused what, and of which right', async () => {
  await refuse({ action: 'delete' });
  const [entry] = await auditEntries(db, { task: 'a' }, 1);
  expect(entry).toMatchObject({ principal: { id, kind: 'user', name: 'ann' }, action: 'delete', refused: true });
  expect(entry?.detail).toEqual(DETAIL);
});

it('the same is noted once within a minute', async () => {
  await refuse();
  await refuse();
  expect(await noted()).toHaveLength(1);
});

it.each<[string, () => Refusal]>([
  ['another act', () => ({ action: 'delete' })],
  ['the same on another object', () => ({ name: 'b' })],
  ['the same for want of another right', () => ({ detail: { right: 'look' } })],
  ['the same of a principal of another kind', () => ({ by: user('token') })],
])('%s is noted beside it', async (_, more) => {
  await refuse();
  await refuse(more());
  expect(await noted()).toHaveLength(2);
});

it('the same in another namespace is noted beside it', async () => {
  await refuse();
  await refuse({}, other);
  expect([(await noted()).length, (await noted(other)).length]).toEqual([1, 1]);
});

it('the same is noted again after a minute', async () => {
  await earlier({ ageMs: 2 * MINUTE, subject: 'task:a' });
  await refuse();
  expect(await noted()).toHaveLength(2);
});

it('what was not refused does not count as the same', async () => {
  await earlier({ refused: false, subject: 'task:a' });
  await refuse();
  expect(await noted()).toHaveLength(2);
});

it.each([
  [58, {}, [DETAIL]],
  [59, {}, [{ ...DETAIL, more: 'further refusals of this hour are not noted' }]],
  [60, {}, []],
  [60, { ageMs: 61 * MINUTE }, [DETAIL]],
  [60, { namespace: 'other' }, [DETAIL]],
  [60, { refused: false }, [DETAIL]],
])('after %i entries of %o the next refusal is noted as %o', async (count, entry, details) => {
  await earlier({ count, ...entry });
  await refuse();
  const own = (await noted()).filter(({ subject }) => subject === 'task:a');
  expect(own.map(({ detail }) => detail)).toEqual(details);
});

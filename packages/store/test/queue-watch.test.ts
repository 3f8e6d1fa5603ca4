import { actionOf, processPrincipal } from '@escapement/core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import {
  auditEntries,
  completeResync,
  type LedgerMoveSeen,
  noteLedgerMove,
  noteMarker,
  noteQueueBlocks,
  requestResync,
} from '../src/index.ts';
import { ago, MINUTE, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

const BY = actionOf(processPrincipal('scheduler'));
const FIRST = { found: null, server: 'redis-1', marker: 'm1' };
const NEXT = { found: 'm1', server: 'redis-1', marker: 'm2' };

beforeEach(async () => {
  await one.pool.query('DELETE FROM queue_watch');
  await noteMarker(one, FIRST);
  await noteMarker(other, FIRST);
});

async function row(db: typeof one) {
  const { rows } = await one.pool.query(
    `SELECT resync_requested AS requested, resync_completed AS completed, place, moved_at, moved_how FROM queue_watch WHERE namespace = $1`,
    [db.namespace],
  );
  return rows[0];
}

it('the first marker requests a resync, and notes where the ledger is', async () => {
  await one.pool.query('DELETE FROM queue_watch');
  const noted = await noteMarker(one, FIRST);
  expect(noted).toMatchObject({ requested: 1, completed: 0, blocked: [] });
  expect(noted.here?.place).toMatch(/^\d+\/[0-9A-F]{8}\/\d+\.\d+$/);
  expect(noted.here?.lsn).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/);
  expect(noted.noted).toBe(noted.here?.place);
});

it('a marker that was found as it was noted requests none, and is the next one to be found', async () => {
  expect(await noteMarker(one, NEXT)).toMatchObject({ requested: 1 });
  expect(await noteMarker(one, { ...NEXT, found: 'm2', marker: 'm3' })).toMatchObject({ requested: 1 });
  expect(await noteMarker(one, { ...NEXT, found: 'm3' })).toMatchObject({ requested: 1 });
});

it.each([
  ['is gone', { found: null }],
  ['is an older one', { found: 'm0' }],
  ['lies in another server', { server: 'redis-2' }],
  ['is gone with its server', { found: null, server: 'redis-2' }],
])('a marker that %s requests one resync, once', async (_why, seen) => {
  const asked = { ...NEXT, ...seen };
  expect(await noteMarker(one, asked)).toMatchObject({ requested: 2 });
  expect(await noteMarker(one, { ...asked, found: asked.marker })).toMatchObject({ requested: 2 });
  expect(await row(other)).toMatchObject({ requested: 1 });
});

it('keeps the place that was noted, until somebody notes the move; notes it where none was', async () => {
  await one.pool.query(`UPDATE queue_watch SET place = 'elsewhere' WHERE namespace = $1`, [one.namespace]);
  const noted = await noteMarker(one, NEXT);
  expect(noted.noted).toBe('elsewhere');
  expect(noted.here?.place).not.toBe('elsewhere');
  await one.pool.query('UPDATE queue_watch SET place = NULL WHERE namespace = $1', [one.namespace]);
  const again = await noteMarker(one, { ...NEXT, found: 'm2' });
  expect(again.noted).toBe(noted.here?.place);
});

it('tells what was noted last to keep queues from being worked off', async () => {
  const blocks = [{ queue: 'default', kind: 'paused', since: '2026-01-30T03:00:00.000Z' }] as const;
  await noteQueueBlocks(one, [...blocks]);
  expect((await noteMarker(one, NEXT)).blocked).toEqual(blocks);
  expect((await noteMarker(other, NEXT)).blocked).toEqual([]);
});

/** A move of the ledger that a scheduler has found. */
const seen = (move: Pick<LedgerMoveSeen, 'noted' | 'to' | 'how'>) => ({ from: move.noted, by: BY, ...move });
const entries = (db: typeof one) => auditEntries(db, { ledger: db.namespace });

it('a move is noted once, from the place that was noted, and the audit keeps it', async () => {
  const { place: noted } = await row(one);
  const move = seen({ noted, to: 'there', how: 'cluster' });
  expect(await noteLedgerMove(one, { ...move, noted: 'nowhere' })).toBe(false);
  expect(await noteLedgerMove(one, { ...move, noted: null })).toBe(false);
  expect(await row(one)).toMatchObject({ place: noted, moved_at: null, moved_how: null });
  expect(await entries(one)).toEqual([]);
  expect(await noteLedgerMove(one, move)).toBe(true);
  const moved = await row(one);
  expect(moved).toMatchObject({ place: 'there', moved_how: 'cluster' });
  expect(moved.moved_at.getTime()).toBeGreaterThan(ago(5 * MINUTE).getTime());
  expect(await noteLedgerMove(one, move)).toBe(false);
  expect(await row(other)).toMatchObject({ place: noted, moved_at: null, moved_how: null });
  expect(await entries(one)).toMatchObject([
    { action: 'move', principal: BY.principal, detail: { how: 'cluster', from: noted, to: 'there' } },
  ]);
  expect(await entries(other)).toEqual([]);
});

it('a move that shows in Redis alone is noted once: the row knows no other place', async () => {
  const { place } = await row(one);
  const move = { ...seen({ noted: place, to: place, how: 'timeline' }), from: 'before' };
  expect(await noteLedgerMove(one, move)).toBe(true);
  expect(await row(one)).toMatchObject({ place, moved_how: 'timeline' });
  expect(await noteLedgerMove(one, move)).toBe(false);
  expect((await entries(one))[0]).toMatchObject({ detail: { how: 'timeline', from: 'before', to: place } });
  expect(await noteLedgerMove(one, { ...move, to: 'there' })).toBe(true);
});

it('a disk that was put back is noted each time', async () => {
  const { place } = await row(one);
  const move = seen({ noted: place, to: place, how: 'back' });
  expect([await noteLedgerMove(one, move), await noteLedgerMove(one, move)]).toEqual([true, true]);
});

it('a move is noted from no place, where none was noted', async () => {
  await one.pool.query('UPDATE queue_watch SET place = NULL');
  expect(await noteLedgerMove(one, seen({ noted: 'somewhere', to: 'there', how: 'cluster' }))).toBe(false);
  expect(await noteLedgerMove(one, seen({ noted: null, to: 'there', how: 'cluster' }))).toBe(true);
  expect([await row(one), await row(other)]).toMatchObject([{ place: 'there' }, { place: null }]);
});

it('each request of a resync is one more, of its own namespace', async () => {
  await requestResync(one);
  await requestResync(one);
  expect([await row(one), await row(other)]).toMatchObject([{ requested: 3 }, { requested: 1 }]);
});

it('what was completed is never taken back, and is of its own namespace', async () => {
  await requestResync(one);
  await requestResync(one);
  await completeResync(one, 2);
  await completeResync(one, 1);
  expect([await row(one), await row(other)]).toMatchObject([
    { requested: 3, completed: 2 },
    { requested: 1, completed: 0 },
  ]);
  await completeResync(one, 3);
  expect(await row(one)).toMatchObject({ completed: 3 });
});

import type { QueueBlock } from '@escapement/core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { noteMarker, noteQueueBlocks, readQueueBlocks } from '../src/index.ts';
import { twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

const MARKER = { found: null, server: 'redis', marker: 'm' };
const PAUSED: QueueBlock = { queue: 'default', kind: 'paused', since: '2026-01-30T03:00:00.000Z' };
const RATED: QueueBlock = { queue: 'default+shell', kind: 'rate', since: '2026-01-30T04:00:00.000Z' };

beforeEach(async () => {
  await one.pool.query('DELETE FROM queue_watch');
  await Promise.all([noteMarker(one, MARKER), noteMarker(other, MARKER)]);
});

it('keeps what was found last, of its own namespace', async () => {
  await noteQueueBlocks(one, [PAUSED]);
  await noteQueueBlocks(one, [RATED, PAUSED]);
  expect(await readQueueBlocks(one)).toEqual([RATED, PAUSED]);
  expect(await readQueueBlocks(other)).toEqual([]);
  await noteQueueBlocks(one, []);
  expect(await readQueueBlocks(one)).toEqual([]);
});

it('there are none where no marker was noted yet', async () => {
  await one.pool.query('DELETE FROM queue_watch');
  await noteQueueBlocks(one, [PAUSED]);
  expect(await readQueueBlocks(one)).toEqual([]);
});

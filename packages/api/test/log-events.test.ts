import { ManualClock, SECOND } from '@escapement/core';
import { appendLogs } from '@escapement/store';
import { eventually, runningRun } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { type LogPlace, logStream } from '../src/events/log-stream.ts';
import { testApi } from './api.ts';

const { ask, db } = await testApi();
let runs = 0;

async function talking() {
  const id = await runningRun(db, `talks-${runs++}`);
  let looks = 0;
  const write = (attempt: number, seq: number, text: string) => appendLogs(db, [{ runId: id, attempt, seq, text }]);
  const end = () =>
    db.pool.query(`UPDATE run SET state = 'failed', reason = 'no luck', finished_at = now() WHERE id = $1`, [id]);
  return {
    ...{ id, write, end, looks: () => looks },
    /** A quarter of a second passes between two looks; the run ends when nothing is left to be done between them. */
    stream(between: (() => Promise<unknown>)[], after: LogPlace | null = null, renew = async () => {}) {
      const gone = new AbortController();
      const clock = new ManualClock();
      const pause = async () => {
        looks++;
        clock.advance(SECOND / 4);
        await (between.shift() ?? end)();
      };
      return { gone, clock, told: logStream(db, id, { after, clock, signal: gone.signal, pause, renew }) };
    },
  };
}

const read = (piece: string) => {
  const fields = new Map(
    piece
      .trim()
      .split('\n')
      .map((line) => line.split(/: (.*)/s) as [string, string]),
  );
  return { id: fields.get('id'), event: fields.get('event'), data: JSON.parse(fields.get('data') ?? 'null') };
};

async function all(told: AsyncGenerator<string>) {
  const pieces: string[] = [];
  for await (const piece of told) pieces.push(piece);
  expect(pieces.shift()).toMatch(/^retry: \d+\n\n$/);
  return pieces.map(read);
}

test('what is there, what comes, and the end', async () => {
  const run = await talking();
  await run.write(1, 0, 'first\n');
  await run.write(1, 1, 'second\n');
  const { told } = run.stream([() => run.write(2, 0, 'again\n'), async () => {}]);
  expect(await all(told)).toEqual([
    { id: '1-0', event: 'log', data: { attempt: 1, text: 'first\n' } },
    { id: '1-1', event: 'log', data: { attempt: 1, text: 'second\n' } },
    { id: '2-0', event: 'log', data: { attempt: 2, text: 'again\n' } },
    { id: undefined, event: 'end', data: { state: 'failed', reason: 'no luck' } },
  ]);
});

test('who was cut off goes on behind the last piece, without a gap and without a double', async () => {
  const run = await talking();
  for (const seq of [0, 1, 2]) await run.write(1, seq, `${seq}\n`);
  const told = await all(run.stream([], { attempt: 1, seq: 1 }).told);
  expect(told.map(({ id, event }) => id ?? event)).toEqual(['1-2', 'end']);
});

test('who reads slowly is told how many lines were left out, and the last 256 KiB', async () => {
  const run = await talking();
  const { told } = run.stream([]);
  await told.next();
  // 400 KiB, of which nobody has taken anything.
  for (let seq = 0; seq < 100; seq++) await run.write(1, seq, `${'x'.repeat(1023)}\n`.repeat(4));
  const pieces: ReturnType<typeof read>[] = [];
  for await (const piece of told) pieces.push(read(piece));
  expect(pieces[0]).toMatchObject({ event: 'skipped', data: { lines: 36 * 4 } });
  expect(pieces.slice(1, -1).map(({ id }) => id)).toEqual(Array.from({ length: 64 }, (_, index) => `1-${index + 36}`));
});

test('of a run that says nothing there is a keep-alive, and its reader is asked for the token again', async () => {
  const run = await talking();
  const nothing = Array.from({ length: 250 }, () => async () => {});
  let renewed = 0;
  const { told } = run.stream(nothing, null, async () => void renewed++);
  const events = await all(told);
  expect(events.map(({ event }) => event)).toEqual([...Array.from({ length: 4 }, () => 'keep-alive'), 'end']);
  expect([renewed, run.looks()]).toEqual([1, 251]);
});

test('the reader of a run that says something now and then is asked for the token again each minute, too', async () => {
  const run = await talking();
  const lines = Array.from({ length: 500 }, (_, look) => async () => {
    if (look % 40 === 0) await run.write(1, look, `${look}\n`);
  });
  let renewed = 0;
  const renew = async () => {
    renewed++;
    if (renewed === 2) throw new Error('revoked');
  };
  const { told } = run.stream(lines, null, renew);
  await told.next();
  const events: string[] = [];
  const reading = (async () => {
    for await (const piece of told) events.push(read(piece).event ?? '');
  })();
  await expect(reading).rejects.toThrow('revoked');
  expect([renewed, run.looks()]).toEqual([2, 480]);
  expect(new Set(events)).toEqual(new Set(['log']));
});

test('who reads slowly is asked for the token again before the next piece', async () => {
  const run = await talking();
  for (const seq of [0, 1]) await run.write(1, seq, `${seq}\n`);
  const renew = async () => {
    throw new Error('revoked');
  };
  const { told, clock } = run.stream([], null, renew);
  await told.next();
  expect(read(String((await told.next()).value))).toMatchObject({ id: '1-0' });
  clock.advance(60 * SECOND);
  await expect(told.next()).rejects.toThrow('revoked');
});

test('nobody is looked after who is gone', async () => {
  const run = await talking();
  const { gone, told } = run.stream([async () => gone.abort()]);
  expect(await all(told)).toEqual([]);
  expect(run.looks()).toBe(1);
});

test('over HTTP it is a stream of events of its own; a place that is none is refused', async () => {
  const run = await talking();
  await run.write(1, 0, 'first\n');
  await run.end();
  const path = `/v1/runs/${run.id}/log/events`;
  const { headers, text } = await ask({ path });
  expect(headers).toMatchObject({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
  expect(text.split('\n\n').filter(Boolean).slice(1).map(read)).toMatchObject([{ event: 'log' }, { event: 'end' }]);
  const { status } = await ask({ path, headers: { 'last-event-id': 'next' } });
  expect(status).toBe(400);
});

test('more readers than a process takes are sent away, and there is room again when they are gone', async () => {
  const run = await talking();
  const path = `/v1/runs/${run.id}/log/events`;
  const reading = Array.from({ length: 100 }, () => ask({ path }));
  await eventually(async () => {
    const { status, body } = await ask({ path, headers: { 'last-event-id': 'next' } });
    // Refused for its place, as long as there is room.
    expect([status, body.code]).toEqual([503, 'too_many_watch']);
  });
  await run.end();
  expect(new Set((await Promise.all(reading)).map(({ status }) => status))).toEqual(new Set([200]));
  expect((await ask({ path })).status).toBe(200);
});

import { randomUUID } from 'node:crypto';
import { MAX_PING_BODY } from '@escapement/core/monitors';
import { createMonitor, pauseMonitor, renewMonitorUrl, requireMonitor } from '@escapement/operations';
import { KEPT_PINGS, monitorPings } from '@escapement/store';
import { by } from '@escapement/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { testApi } from './api.ts';

// What a cron line of another machine sends, and what somebody else may send there.
const home = await testApi('home');
const away = await testApi('away');
const { db } = home;
const ROOT = by('root');
const HOURLY = { schedule: { kind: 'fixed-delay', delayMs: 3_600_000 }, graceMs: 60_000 } as const;

let name = '';
let id = '';
let count = 0;
beforeEach(async () => {
  name = `backup-${count++}`;
  ({ pingId: id } = await createMonitor(db, name, HOURLY, ROOT));
});

interface Sent {
  method?: string;
  path?: string;
  payload?: string | Buffer;
  headers?: Record<string, string>;
  address?: string;
}

async function send({ method = 'GET', path = '', payload, headers = {}, address = '10.1.1.1' }: Sent = {}, to = home) {
  const answer = await to.api.server.inject({
    method: method as 'GET',
    url: `/ping/${id}${path}`,
    headers: { host: 'localhost', ...headers },
    remoteAddress: address,
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: answer.statusCode, text: answer.payload, headers: answer.headers };
}

const pings = async () => (await monitorPings(db, name, { limit: 50 })).toReversed();
const kinds = async () => (await pings()).map(({ kind }) => kind);

describe('a ping', () => {
  test('needs no token, and is kept with its time, its way and where it came from', async () => {
    expect(await send()).toMatchObject({ status: 200, text: 'OK\n' });
    expect(await pings()).toEqual([
      {
        ...{ seq: 1, at: expect.any(Date), kind: 'success', exitStatus: null, rid: null, durationMs: null },
        ...{ method: 'GET', address: '10.1.1.1', body: null, bodyBytes: 0 },
      },
    ]);
    expect(await requireMonitor(db, name)).toMatchObject({
      state: 'up',
      pings: 1n,
      status: { lastKind: 'success' },
    });
  });

  test.each(['GET', 'HEAD', 'POST'])('by %s', async (method) => {
    expect(await send({ method })).toMatchObject({ status: 200, text: method === 'HEAD' ? '' : 'OK\n' });
    expect((await pings()).map((ping) => ping.method)).toEqual([method]);
  });

  test('says that the job began, failed, wrote something, or what it ended with', async () => {
    for (const path of ['/start', '/log', '/fail', '/start', '/0', '/3']) await send({ path });
    expect(await kinds()).toEqual(['start', 'log', 'fail', 'start', 'success', 'fail']);
    const [, , failed, , ended, bad] = await pings();
    expect([failed?.exitStatus, ended?.exitStatus, bad?.exitStatus]).toEqual([null, 0, 3]);
    expect([typeof failed?.durationMs, typeof ended?.durationMs, bad?.durationMs]).toEqual(['number', 'number', null]);
    expect(await requireMonitor(db, name)).toMatchObject({
      state: 'down',
      troubles: [{ kind: 'failed' }],
      status: { exitStatus: 3 },
    });
  });

  test('of one of several runs at once', async () => {
    for (const path of ['/start?rid=a', '/start?rid=b', '/0?rid=a']) await send({ path });
    expect((await requireMonitor(db, name)).status.running.map(({ rid }) => rid)).toEqual(['b']);
  });

  test('with the id in capitals', async () => {
    id = id.toUpperCase();
    expect((await send()).status).toBe(200);
  });

  test('of any media type; of its body the beginning is kept, masked', async () => {
    const body = `pg_dump postgres://shop:hunter2@db/shop\n${'x'.repeat(500_000)}`;
    for (const type of ['application/x-www-form-urlencoded', 'application/json', 'nonsense', ''])
      expect((await send({ method: 'POST', payload: body, headers: { 'content-type': type } })).status).toBe(200);
    const kept = await pings();
    expect(kept.map(({ bodyBytes }) => bodyBytes)).toEqual(Array(4).fill(body.length));
    for (const { body: text } of kept) {
      expect(text).toMatch(/^pg_dump postgres:\/\/shop:\*\*\*@db/);
      expect(text?.length).toBeLessThanOrEqual(MAX_PING_BODY);
    }
  });

  test('bytes that are no text', async () => {
    const payload = Buffer.from([0, 0xff, 0xfe, 0x41, 0xed, 0xa0, 0x80]);
    expect(
      (await send({ method: 'POST', payload, headers: { 'content-type': 'application/octet-stream' } })).status,
    ).toBe(200);
    expect((await pings())[0]?.body).toContain('A');
  });

  test('while it is paused is kept, and tells nothing', async () => {
    await pauseMonitor(db, name, null, ROOT);
    expect((await send({ path: '/fail' })).status).toBe(200);
    expect(await requireMonitor(db, name)).toMatchObject({ state: 'paused', troubles: [] });
  });
});

describe('who does not have the URL', () => {
  test.each([
    ['a made-up id', () => randomUUID()],
    ['no id', () => 'x'],
    ['the name', () => name],
    ['a quote', () => '%27%20OR%201=1'],
    ['an id and more', () => `${id}0`],
    ['a part of it', () => id.slice(0, -1)],
    ['a long one', () => 'a'.repeat(400)],
  ])('is told the same: %s', async (_, made) => {
    id = made();
    expect(await send({ address: '10.2.2.2' })).toMatchObject({
      status: 404,
      text: 'there is no monitor with this URL\n',
    });
  });

  test('of another namespace has no URL here', async () => {
    expect((await send({}, away)).status).toBe(404);
    expect(await kinds()).toEqual([]);
  });

  test('has no use for one that was replaced', async () => {
    const { pingId } = await renewMonitorUrl(db, name, ROOT);
    expect((await send({ address: '10.2.2.3' })).status).toBe(404);
    id = pingId;
    expect((await send()).status).toBe(200);
  });

  test('cannot look for one: an address is kept out after some tries, and those with a URL are not', async () => {
    const known = id;
    const address = '10.3.3.3';
    id = randomUUID();
    const found = await Promise.all(Array.from({ length: 70 }, () => send({ address })));
    const by = (status: number) => found.filter((each) => each.status === status);
    expect([by(404).length, by(429).length]).toEqual([60, 10]);
    expect(by(429)[0]?.headers['retry-after']).toMatch(/^\d+$/);
    id = known;
    expect((await send({ address })).status).toBe(200);
  });

  test('finds it nowhere: the database has a hash, and no answer has the id', async () => {
    await send();
    const { rows } = await db.pool.query('SELECT to_jsonb(h) AS kept FROM monitor h');
    const { rows: sent } = await db.pool.query('SELECT to_jsonb(p) AS kept FROM monitor_ping p');
    const { rows: audit } = await db.pool.query('SELECT to_jsonb(a) AS kept FROM audit a');
    expect(JSON.stringify([rows, sent, audit])).not.toContain(id);
  });
});

describe('what is wrong with a request', () => {
  test.each(['/256', '/-1', '/stop', '/START', '/%00', '/constructor'])('no such signal: %s', async (path) => {
    expect(await send({ path })).toMatchObject({ status: 404, text: expect.stringContaining('no such signal') });
  });

  test.each(['rid=', 'rid=a%20b', 'rid=%00', 'rid=a&rid=b', `rid=${'a'.repeat(101)}`])(
    'no id of a run: %s',
    async (query) => {
      expect(await send({ path: `?${query}` })).toMatchObject({ status: 400, text: 'rid is no id of a run\n' });
    },
  );

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is not possible', async (method) => {
    expect(await send({ method })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, POST' } });
  });

  test('more than a MiB', async () => {
    const payload = 'x'.repeat(1024 * 1024 + 1);
    expect(await send({ method: 'POST', payload, headers: { 'content-type': 'text/plain' } })).toMatchObject({
      status: 413,
      text: 'a ping may bring 1 MiB with it\n',
    });
  });

  test.each(['/a/b', '/', '//'])('a path that is none: %s', async (path) => {
    expect([404, 400]).toContain((await send({ path })).status);
  });

  test('a host that is none of this server', async () => {
    expect((await send({ headers: { host: 'evil.example' } })).status).toBe(421);
  });

  test('none of it is kept, and none is a mistake of the server', async () => {
    for (const path of ['/256', '?rid=', '/a/b']) await send({ path });
    expect([await kinds(), home.errors]).toEqual([[], []]);
  });
});

describe('a flood', () => {
  test('with the URL: some count, the others are told when to come again, none is lost or counted twice', async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, () => send({ path: '/log' })));
    const taken = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect(taken.length + refused.length).toBe(300);
    expect(refused.every(({ headers }) => /^[1-9]\d?$/.test(String(headers['retry-after'])))).toBe(true);
    const { pings: counted } = await requireMonitor(db, name);
    expect([counted, taken.length <= 120]).toEqual([BigInt(taken.length), true]);
    const kept = await monitorPings(db, name, { limit: 500 });
    expect(kept.map(({ seq }) => seq)).toEqual(taken.map((_, index) => taken.length - index));
  });

  test('over weeks: of the pings the latest are kept', async () => {
    await db.pool.query(`UPDATE monitor SET pings = $2, revision = revision + 1 WHERE name = $1`, [name, KEPT_PINGS]);
    await db.pool.query(
      `INSERT INTO monitor_ping (namespace, monitor_id, seq, at, kind, method)
       SELECT h.namespace, h.id, n, now(), 'success', 'GET' FROM monitor h, generate_series(1, $2::integer) n WHERE h.name = $1`,
      [name, KEPT_PINGS],
    );
    await send();
    const kept = await monitorPings(db, name, { limit: 5000 });
    expect([kept.length, kept.at(0)?.seq, kept.at(-1)?.seq]).toEqual([KEPT_PINGS, KEPT_PINGS + 1, 2]);
  });
});

import { type EngineEvent, systemClock } from '@escapement/core';
import { saveTask, triggerTask } from '@escapement/operations';
import { type Database, findTask, openDatabase } from '@escapement/store';
import { afterFile, by, eventually, finishedRun, primaryWithStandby, systemPostgres } from '@escapement/testkit';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createReads } from '../src/http/reads.ts';
import { isOnlyShown } from '../src/http/serve.ts';
import { ROUTES } from '../src/index.ts';
import { type TestApi, testApi, useDatabase } from './api.ts';
import type { Fixture } from './example.ts';
import { EXAMPLES } from './examples.ts';

const postgres = systemPostgres();
const WHO = by('root');

describe.skipIf(postgres === undefined)('an API with a standby', () => {
  let api: TestApi;
  let standby: Database;
  let looker: Database;
  let servers: Awaited<ReturnType<typeof primaryWithStandby>>;
  const told: EngineEvent[] = [];
  const serves = () => told.findLast(({ event }) => event.startsWith('standby_'));

  beforeAll(async () => {
    if (!postgres) return;
    servers = await primaryWithStandby(postgres);
    useDatabase('primary', servers.primaryUrl);
    standby = openDatabase({ url: servers.standbyUrl, applicationName: 'standby of the api' });
    looker = openDatabase({ url: servers.standbyUrl, applicationName: 'looker' });
    afterFile(() => Promise.all([standby.close(), looker.close()]));
    api = await testApi('default', 'primary', systemClock, { standby, tell: (event) => void told.push(event) });
    await api.api.start();
  });

  beforeEach(async () => {
    await eventually(() => expect(serves()).toEqual({ event: 'standby_serves' }));
    api.errors.splice(0);
  });

  /** The last statement of each of its connections to the standby. */
  async function asked(): Promise<Set<string>> {
    const { rows } = await looker.pool.query<{ query: string }>(
      `SELECT query FROM pg_stat_activity WHERE application_name = 'standby of the api'`,
    );
    return new Set(rows.map(({ query }) => query));
  }

  async function fixture(name: string): Promise<Fixture> {
    await saveTask(
      api.db,
      {
        name,
        handler: { type: 'http', url: 'https://shop.example/' },
        labels: { team: 'shop' },
        schedule: { kind: 'every', everyMs: 3_600_000 },
      },
      { source: 'api', by: WHO },
    );
    const task = await findTask(api.db, name);
    const openRun = await triggerTask(api.db, name, { by: WHO });
    const endedRun = await finishedRun(api.db, `${name}-ended`);
    return { ...api, name, taskId: task?.id ?? '', openRun, endedRun };
  }

  test('shows at once what was just written, and reads it there', async () => {
    for (let nth = 0; nth < 20; nth++) {
      await saveTask(
        api.db,
        { name: `task-${nth}`, handler: { type: 'http', url: 'https://shop.example/' } },
        { source: 'api', by: WHO },
      );
      const { body } = await api.ask({ path: '/v1/tasks', query: { name: `task-${nth}` } });
      expect(body.items.map(({ name }: { name: string }) => name)).toContain(`task-${nth}`);
    }
    // On a busy machine the standby may be behind now and then, and the primary answers.
    await eventually(async () => {
      await api.ask({ path: '/v1/tasks' });
      expect([...(await asked())].some((query) => query.includes('t.former_names'))).toBe(true);
      expect(told).toContainEqual({ event: 'read_answered', by: 'standby' });
    });
    expect(api.errors).toEqual([]);
  });

  test('notes at the primary that somebody may not look', async () => {
    const viewer = await api.token({ name: 'no-admin', role: 'viewer' });
    expect((await api.ask({ path: '/v1/tokens' }, viewer)).status).toBe(403);
    const { rows } = await api.db.pool.query(`SELECT refused FROM audit WHERE principal_name = 'no-admin'`);
    expect([rows, api.errors]).toEqual([[{ refused: true }], []]);
  });

  const shown = ROUTES.filter((route) => isOnlyShown(route) && EXAMPLES[route.id]);
  test.each(shown.map(({ id }) => id))('%s can be read from it', async (id) => {
    const route = ROUTES.find((each) => each.id === id);
    const {
      params = {},
      query,
      headers,
      cookie,
    } = (await EXAMPLES[id]?.(await fixture(`${id.toLowerCase()}-task`))) ?? {};
    const path = route?.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? '')) ?? '';
    const request = { path, ...(query ? { query } : {}), headers: { ...headers, ...(cookie ? { cookie } : {}) } };
    await eventually(async () => {
      api.errors.splice(0);
      const answer = await (cookie === undefined ? api.ask(request) : api.ask(request, null));
      // Where the standby refuses something, or is behind, the primary answers, and the API says so.
      expect([answer.status, api.errors, serves()]).toEqual([200, [], { event: 'standby_serves' }]);
    });
  });

  test('is answered by the primary while the standby does not follow', async () => {
    await standby.pool.query('SELECT pg_wal_replay_pause()');
    const { taskId } = await fixture('written-meanwhile');
    expect((await api.ask({ path: `/v1/tasks/${taskId}` })).body.name).toBe('written-meanwhile');
    expect(serves()).toEqual({ event: 'standby_left', why: expect.stringContaining('behind') });
    expect(told).toContainEqual({ event: 'read_answered', by: 'primary' });
    await standby.pool.query('SELECT pg_wal_replay_resume()');
  });

  test('is answered by the primary where the standby breaks a read off', async () => {
    const errors: unknown[] = [];
    const reads = createReads({
      ...{ primary: api.db, standby },
      emit: (event) => void told.push(event),
      onError: (error) => void errors.push(error),
    });
    told.splice(0);
    reads.start();
    await eventually(() => expect(serves()).toEqual({ event: 'standby_serves' }));
    const conflict = Object.assign(new Error('canceling statement due to conflict with recovery'), { code: '40001' });
    const by = await reads.read(async (db) => {
      if (db === standby) throw conflict;
      return db;
    });
    await reads.stop();
    expect([by === api.db, errors, serves()]).toEqual([true, [conflict], { event: 'standby_serves' }]);
  });

  test('says nothing of the standby where it is the primary that is away', async () => {
    const away = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/ledger', applicationName: 'away' });
    const seen: EngineEvent[] = [];
    const errors: unknown[] = [];
    const reads = createReads({
      ...{ primary: away, standby },
      emit: (event) => void seen.push(event),
      onError: (error) => void errors.push(error),
    });
    reads.start();
    await eventually(() => expect(errors.length).toBeGreaterThan(1));
    expect(await reads.read(async (db) => db === away)).toBe(true);
    await Promise.all([reads.stop(), away.close()]);
    expect(seen).toEqual([{ event: 'read_answered', by: 'primary' }]);
  });

  test('is answered by the primary once the standby is gone', async () => {
    const { taskId } = await fixture('left-alone');
    await servers.standby.stop();
    for (let nth = 0; nth < 3; nth++) expect((await api.ask({ path: `/v1/tasks/${taskId}` })).status).toBe(200);
    expect(serves()?.event).toBe('standby_left');
  });
});

import { expect, test } from 'vitest';
import { testApi } from './api.ts';

const { ask, db } = await testApi();
const schedule = { kind: 'cron', expression: '30 2 * * *', timeZone: 'Europe/Berlin' };

/** As a machine has it whose time zone data is older than that of the one which saved the task. */
async function strand(name: string, more: object = {}): Promise<string> {
  const body = { name, handler: { type: 'shell', command: 'true' }, schedule, ...more };
  const { body: made } = await ask({ method: 'POST', path: '/v1/tasks', body });
  const link = await db.pool.connect();
  try {
    // Versions of a task are never changed but by a save.
    await link.query('SET session_replication_role = replica');
    const zone = `'{schedule,timeZone}', '"Mars/Base"'`;
    await link.query(
      `UPDATE task SET definition = jsonb_set(definition, ${zone}), schedule = jsonb_set(schedule, '{timeZone}', '"Mars/Base"') WHERE id = $1`,
      [made.id],
    );
    await link.query(`UPDATE task_version SET definition = jsonb_set(definition, ${zone}) WHERE task_id = $1`, [
      made.id,
    ]);
    await link.query('RESET session_replication_role');
  } finally {
    link.release();
  }
  return `/v1/tasks/${made.id}`;
}

test('a task in a time zone that is not known here hides no other, and says what is wrong', async () => {
  const path = await strand('on-mars');
  const { status, body } = await ask({ path: '/v1/tasks' });
  expect([status, body.items.map(({ meaning }: { meaning: string }) => meaning)]).toEqual([
    200,
    ['not readable here: unknown time zone "Mars/Base"'],
  ]);
  const shown = await ask({ path });
  expect([shown.status, shown.body.definition.schedule.timeZone]).toEqual([200, 'Mars/Base']);
  expect((await ask({ path: '/v1/forecast', query: { days: '1' } })).status).toBe(200);
});

test('paused until an instant it has no next start that anybody knows', async () => {
  const path = await strand('resting');
  const untilAt = '2100-01-01T00:00:00Z';
  expect((await ask({ method: 'POST', path: `${path}/pause`, body: { untilAt } })).status).toBe(200);
  const { status, body } = await ask({ path: '/v1/tasks', query: { name: 'resting' } });
  expect([status, body.items[0]]).toMatchObject([200, { name: 'resting', nextStartAt: null }]);
});

test('it is edited: what it would do is seen, and is done', async () => {
  const path = await strand('moved-home');
  const preview = await ask({ method: 'POST', path: `${path}/preview`, body: { schedule } });
  expect([preview.status, preview.body]).toMatchObject([
    200,
    { meaning: 'at 02:30 every day', meaningBefore: 'not readable here: unknown time zone "Mars/Base"', before: [] },
  ]);
  const saved = await ask({ method: 'PATCH', path, headers: { 'if-match': '"1"' }, body: { schedule } });
  expect([saved.status, saved.body.version]).toEqual([200, 2]);
});

test('it is applied over, and deleted', async () => {
  const path = await strand('applied');
  const task = { name: 'applied', handler: { type: 'shell', command: 'true' }, schedule };
  for (const route of ['/v1/apply/plan', '/v1/apply']) {
    const { status } = await ask({ method: 'POST', path: route, body: { tasks: [task], set: 'home', adopt: true } });
    expect([route, status]).toEqual([route, 200]);
  }
  expect((await ask({ path })).body.definition.schedule.timeZone).toBe('Europe/Berlin');
  const gone = await strand('deleted');
  expect((await ask({ method: 'DELETE', path: gone })).status).toBe(200);
});

test('it keeps nobody from changing a calendar that it uses, nor from seeing what that excludes', async () => {
  const calendar = '/v1/calendars/office';
  const body = { timeZone: 'UTC', entries: [{ weekdays: ['SUN'] }] };
  expect((await ask({ method: 'PUT', path: calendar, body })).status).toBe(200);
  await strand('closed', { calendars: { exclude: ['office'] } });
  const effect = await ask({ path: `${calendar}/effect`, query: { year: '2027' } });
  expect([effect.status, effect.body.days.length, effect.body.tasks]).toEqual([
    200,
    52,
    [expect.objectContaining({ name: 'closed', timeZone: 'Mars/Base', leftOut: [], next: [] })],
  ]);
  const saved = await ask({ method: 'PUT', path: calendar, body: { ...body, description: 'closed on Sundays' } });
  expect([saved.status, saved.body.version]).toEqual([200, 2]);
});

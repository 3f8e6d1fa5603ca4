import { randomUUID } from 'node:crypto';
import { findTask, listTasks } from '@escapement/store';
import { expect, test } from 'vitest';
import { testApi } from './api.ts';

const { ask, token, db, errors } = await testApi();
const CRONTAB = 'PASSWORD=s3cret\n# Nightly\n30 2 * * * backup --password=s3cret\n@reboot up\nnonsense\n';
const given = (name: string, text = CRONTAB) => ({ name, text, timeZone: 'Europe/Berlin' });
const plan = async (body: object, by?: string) =>
  await ask({ method: 'POST', path: '/v1/import/crontab/plan', body }, by);
const load = async (body: object, by?: string) => await ask({ method: 'POST', path: '/v1/import/crontab', body }, by);
const actions = ({ body }: { body: { lines: { action: string }[] } }) => body.lines.map(({ action }) => action);

test('a plan says of each line what it becomes, without its secrets, and writes nothing; an import does it, once', async () => {
  const planned = await plan(given('web1'));
  expect(planned.body).toMatchObject({
    ...{ source: 'crontab:web1', written: false, compared: true },
    counts: { create: 2, refused: 1, failed: 0, silent: 2 },
    lines: [
      { line: 3, action: 'create', meaning: 'at 02:30 every day', timeZone: 'Europe/Berlin' },
      { line: 4, action: 'create', schedule: '@reboot', timeZone: null },
      { line: 5, action: 'refused', task: null },
    ],
  });
  expect(planned.text).not.toContain('s3cret');
  expect(await listTasks(db, { source: 'crontab:web1' })).toEqual([]);
  expect(actions(await load(given('web1')))).toEqual(['created', 'created', 'refused']);
  expect(actions(await load(given('web1')))).toEqual(['unchanged', 'unchanged', 'refused']);
  const [task] = await listTasks(db, { source: 'crontab:web1' });
  expect(task?.definition.handler).toMatchObject({ command: 'backup --password=s3cret' });
});

test('a line that is gone is told of, and its task deleted only where that is asked for', async () => {
  await load(given('gone', '0 1 * * * one\n0 2 * * * two\n'));
  const less = given('gone', '0 1 * * * one\n');
  expect((await load(less)).body.removed).toMatchObject([{ command: 'two', deleted: false }]);
  expect((await load({ ...less, prune: true })).body.removed).toMatchObject([{ command: 'two', deleted: true }]);
  expect(await listTasks(db, { source: 'crontab:gone' })).toHaveLength(1);
});

test('without a right for one of the lines nothing is written', async () => {
  const editor = await token({ role: 'editor' });
  const crontab = given('shell', '0 4 * * * purge\n');
  const refused = await load(crontab, editor);
  expect([refused.status, refused.body.code]).toEqual([403, 'not_allowed']);
  expect(await listTasks(db, { source: 'crontab:shell' })).toEqual([]);
  expect(actions(await plan(crontab, editor))).toEqual(['create']);
});

test('an exported crontab is imported as what it came from', async () => {
  await load(given('round', 'CRON_TZ=UTC\n# Nightly\n30 2 * * 1-5 backup --full\n'));
  const { body } = await ask({ path: '/v1/export/crontab', query: { source: 'crontab:round' } });
  expect(body.text).toContain('30 2 * * 1-5 backup --full');
  // What cron cannot say is a comment above the line, and its description by the next import.
  expect(actions(await plan(given('round', body.text)))).not.toContain('create');
  await ask({
    method: 'POST',
    path: '/v1/tasks',
    body: { name: 'web', handler: { type: 'http', url: 'https://shop.example/' }, labels: { team: 'web' } },
  });
  const other = await ask({ path: '/v1/export/crontab', query: { label: 'team=web' } });
  expect(other.body.left).toEqual([{ name: 'web', reason: expect.stringContaining('type http') }]);
  const viewer = await ask({ path: '/v1/export/crontab' }, await token({ role: 'viewer' }));
  expect([viewer.status, viewer.body.code]).toEqual([403, 'not_allowed']);
  expect(await findTask(db, 'web')).not.toBeNull();
});

test('what is in the shadow is shown as its crontab has it, without its secrets', async () => {
  await load({ ...given('shown', '30 2 * * * copy --password=s3cret\n'), shadow: true });
  const shown = await ask({ path: '/v1/shadow', query: { source: 'shown' } });
  expect(shown.body.items).toMatchObject([{ schedule: '30 2 * * *', command: expect.stringContaining('copy') }]);
  expect(shown.text).not.toContain('s3cret');
});

test('a reporter of a host tells of that host, and of no other', async () => {
  const reporter = await token({ role: 'reporter', scope: 'host=web1' });
  const tell = async (host: string) => {
    const start = { startedAt: '2026-11-01T00:00:00Z', endedAt: null, exitCode: null, signal: null, bootedAt: null };
    const report = { id: randomUUID(), line: 'aaaaaaaaaaaa', host, ...start };
    return await ask(
      { method: 'POST', path: '/v1/shadow/reports', body: { reports: [report], lines: [], answers: [] } },
      reporter,
    );
  };
  expect(await tell('web1')).toMatchObject({ status: 200, body: { taken: 1 } });
  expect(await tell('web2')).toMatchObject({ status: 403, body: { code: 'not_allowed' } });
  expect((await ask({ path: '/v1/shadow' }, reporter)).status).toBe(403);
});

test('nothing of that was a mistake of the server', () => expect(errors).toEqual([]));

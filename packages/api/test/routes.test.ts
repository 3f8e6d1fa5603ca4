import { systemClock } from '@escapement/core';
import { expect, test } from 'vitest';
import { ROUTES } from '../src/index.ts';
import { type Answer, type Request, testApi } from './api.ts';
import { EXAMPLES } from './examples.ts';
import { exampleOf, fixture, requestOf } from './fixture.ts';
import { startProvider } from './oidc/provider.ts';

const provider = await startProvider();
await provider.know({ 'sub-ann': { preferred_username: 'ann', groups: ['ops'] } });
const home = await testApi('default', 'own', systemClock, { oidc: provider.settings });
const away = await testApi('other');
const viewer = await home.token({ name: 'the-viewer', role: 'viewer' });
/** May do everything to tasks that are not there. */
const stranger = await home.token({ role: 'admin', scope: 'team=nowhere' });
const foreign = await away.token({});

async function requestTo(id: string): Promise<{ request: Request; cookie: string | undefined }> {
  const example = await exampleOf(id, await fixture(home, provider));
  return { request: requestOf(id, example), cookie: example.cookie };
}

async function entriesOf(requestId: unknown): Promise<{ action: string; refused: boolean }[]> {
  const text = 'SELECT action, refused FROM audit WHERE request_id = $1 ORDER BY id';
  return (await home.db.pool.query<{ action: string; refused: boolean }>(text, [requestId])).rows;
}

/** What they are about need not be there yet: its name means something in each namespace. */
const MADE_BY_NAME = new Set(['muteError', 'reopenError', 'resolveError', 'saveCalendar', 'setPool']);

async function refusedLooks(): Promise<{ refused: boolean }[]> {
  const text = `SELECT DISTINCT refused FROM audit WHERE action = 'look' AND principal_name = 'the-viewer'`;
  return (await home.db.pool.query<{ refused: boolean }>(text)).rows;
}

test('each route has an example, and no name twice', () => {
  expect(ROUTES.map(({ id }) => id).toSorted()).toEqual(Object.keys(EXAMPLES).toSorted());
});

const refused = (answer: Answer) => [answer.status, answer.body?.code];

for (const { id, right, audit, status, params, anyone = false } of ROUTES)
  test(`${id}: answers as declared, is in the audit, and is refused to whom it is not for`, async () => {
    const { request, cookie } = await requestTo(id);
    if (!anyone) {
      expect(refused(await home.ask(request, null))).toEqual([401, 'no_token']);
      expect(refused(await home.ask(request, foreign))).toEqual([401, 'bad_token']);
    }
    if (right !== null && right !== 'read') {
      // Of one principal some dozens of refusals in a while are noted: for an act each route has its own.
      const answer = await home.ask(request, audit === null ? viewer : await home.token({ role: 'viewer' }));
      expect([...refused(answer), answer.body.detail]).toEqual([
        403,
        'not_allowed',
        expect.stringContaining('has not the right'),
      ]);
      // Of many refused looks one is noted.
      const noted = audit === null ? await refusedLooks() : await entriesOf(answer.headers['x-request-id']);
      expect(noted).toEqual([expect.objectContaining({ refused: true })]);
    }
    if (right !== null) {
      const answer = await home.ask(request, stranger);
      // A list is cut to what they may see: nothing.
      if (answer.status === 200) expect(answer.text).not.toContain('task-');
      else expect(['not_allowed', 'unknown_alert', 'unknown_error', 'unknown_request']).toContain(answer.body.code);
    }
    if (params && !MADE_BY_NAME.has(id)) expect([404, 403]).toContain((await away.ask(request)).status);
    const answer = await (cookie === undefined
      ? home.ask(request)
      : home.ask({ ...request, headers: { ...request.headers, cookie } }, null));
    expect([answer.status, answer.status === status ? '' : answer.text, home.errors]).toEqual([status, '', []]);
    const entries = await entriesOf(answer.headers['x-request-id']);
    expect(entries.filter((entry) => !entry.refused).map(({ action }) => action)).toEqual(
      audit === null ? [] : expect.arrayContaining([audit]),
    );
  });

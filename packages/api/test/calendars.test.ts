import { expect, test } from 'vitest';
import { testApi } from './api.ts';

const { ask } = await testApi();
const path = '/v1/calendars/shop';
const body = (month: number) => ({ timeZone: 'UTC', entries: [{ dates: [`2027-0${month}-01`] }] });
const save = async (month: number, match?: string) =>
  await ask({ method: 'PUT', path, body: body(month), headers: match === undefined ? {} : { 'if-match': match } });

test('a calendar is saved in the place of the version that is named, or of any', async () => {
  expect((await save(1, '"1"')).status).toBe(412);
  expect((await save(1, '"0"')).body).toMatchObject({ kind: 'created', version: 1 });
  const late = await save(2, '"0"');
  expect([late.status, late.body.code, late.body.current]).toEqual([412, 'version_changed', { version: 1 }]);
  expect((await save(2, 'first')).status).toBe(400);
  expect((await ask({ path })).body).toMatchObject({ version: 1, definition: body(1) });
  expect((await save(2, '"1"')).body.version).toBe(2);
  expect((await save(3, '*')).body.version).toBe(3);
  expect((await save(4)).body.version).toBe(4);
});

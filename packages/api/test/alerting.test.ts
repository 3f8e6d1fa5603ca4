import { expect, test } from 'vitest';
import { testApi } from './api.ts';

const { ask } = await testApi();
const path = '/v1/alerting';
const body = (name: string) => ({ rules: [{ name, when: { kind: 'failed' } }] });
const save = async (name: string, match?: string) =>
  await ask({ method: 'PUT', path, body: body(name), headers: match === undefined ? {} : { 'if-match': match } });

test('alerts are saved in the place of the version that is named, or of any', async () => {
  expect((await save('first', '"0"')).body).toMatchObject({ kind: 'created', version: 1 });
  const late = await save('late', '"0"');
  expect([late.status, late.body.code, late.body.current]).toEqual([412, 'version_changed', { version: 1 }]);
  expect((await save('bad', 'first')).status).toBe(400);
  expect((await ask({ path })).body).toMatchObject({ version: 1, definition: { rules: [{ name: 'first' }] } });
  expect((await save('second', '"1"')).body.version).toBe(2);
  expect((await save('third', '*')).body.version).toBe(3);
  expect((await save('fourth')).body.version).toBe(4);
});

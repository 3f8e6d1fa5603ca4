import { migrate } from '@escapement/store';
import { ownPostgres } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { type Answer, testApi, useDatabase } from './api.ts';

const postgres = await ownPostgres();
await migrate(postgres.url);
useDatabase('away', postgres.url);
const api = await testApi('default', 'away');

const task = { name: 'report', handler: { type: 'http', url: 'https://example.com/' }, schedule: { kind: 'manual' } };
const create = () => api.ask({ method: 'POST', path: '/v1/tasks', body: task });
const list = () => api.ask({ path: '/v1/tasks' });
const told = ({ status, body, headers }: Answer) => [status, body.code, headers['retry-after']];

test.each([
  ['stopped', () => postgres.stop()],
  ['killed', () => postgres.crash()],
])(
  'while Postgres is %s: 503 to who reads and who writes, nothing of it is told or done; then it goes on by itself',
  async (_, end) => {
    expect((await list()).status).toBe(200);
    await end();
    for (const answer of [await list(), await create(), await list()]) {
      expect(told(answer)).toEqual([503, 'database_away', '2']);
      expect(answer.text).not.toMatch(/127\.0\.0\.1|ECONN|terminat|postgres:/);
    }
    await postgres.start();
    await expect.poll(async () => (await list()).status).toBe(200);
    expect((await list()).body.items).toEqual([]);
  },
);

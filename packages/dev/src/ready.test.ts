import { createServer } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { notReady, waitingWords } from './ready.ts';

const answers: Record<string, { status: number; body: unknown }> = {
  '/good/readyz': { status: 200, body: { ok: true } },
  '/slow/readyz': {
    status: 503,
    body: {
      ok: false,
      checks: [
        { name: 'redis', ok: true },
        { name: 'tasks', ok: false },
      ],
    },
  },
};
const server = createServer((request, response) => {
  const { status, body } = answers[request.url ?? ''] ?? { status: 404, body: null };
  response.writeHead(status).end(JSON.stringify(body));
});
const address = await new Promise<string>((resolve) => {
  server.listen(0, '127.0.0.1', () => {
    const found = server.address();
    resolve(`http://127.0.0.1:${typeof found === 'object' ? found?.port : ''}`);
  });
});
afterAll(() => void server.close());

test('a program that is not ready is named, with what is not well yet', async () => {
  const places = { scheduler: `${address}/good`, worker: `${address}/slow`, api: 'http://127.0.0.1:1' };
  const waiting = await notReady(places);
  expect(waiting).toEqual([
    { name: 'worker', checks: ['tasks'] },
    { name: 'api', checks: [] },
  ]);
  expect(waitingWords(waiting, 61_234)).toBe(
    'still waiting after 61 s for the worker (not well yet: tasks) and the api (it does not answer); its lines above say more',
  );
});

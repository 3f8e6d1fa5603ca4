import { expect, test } from 'vitest';
import { type TaskInput, taskDefinition } from '../task.ts';
import { redactDefinition, redactUnknownDefinition } from './redact-definition.ts';

const CANARY = 'canary-5f1c';

const shown = (input: Omit<TaskInput, 'name'>) => redactDefinition(taskDefinition.parse({ name: 'a', ...input }));

const HTTP = { type: 'http', url: 'https://x.example/' } as const;
const SHELL = { type: 'shell', command: 'true' } as const;

test.each<[string, Omit<TaskInput, 'name'>]>([
  ['the password of a URL', { handler: { ...HTTP, url: `https://app:${CANARY}@x.example/` } }],
  ['a token of a URL', { handler: { ...HTTP, url: `https://${CANARY}@x.example/` } }],
  ['a parameter of a URL', { handler: { ...HTTP, url: `https://x.example/?access_token=${CANARY}&sig=${CANARY}` } }],
  [
    'a header',
    { handler: { ...HTTP, headers: { Authorization: `Bearer ${CANARY}`, 'x-api-key': CANARY, Cookie: CANARY } } },
  ],
  ['a URL in a header', { handler: { ...HTTP, headers: { Referer: `https://a:${CANARY}@x.example` } } }],
  ['a field of a body', { handler: { ...HTTP, body: { deep: [{ client_secret: CANARY, apiKey: CANARY }] } } }],
  ['a webhook', { handler: SHELL, notify: { webhook: [`https://hooks.example/services/${CANARY}`] } }],
  ['a URL in a command', { handler: { ...SHELL, command: `pg_dump postgres://app:${CANARY}@db/shop` } }],
  ['a variable in a command', { handler: { ...SHELL, command: `PGPASSWORD='${CANARY}' psql` } }],
  ['an option in a command', { handler: { ...SHELL, command: `deploy --token ${CANARY} --api-key="${CANARY}"` } }],
  ['an argument', { handler: { type: 'shell', argv: ['deploy', '--password', CANARY, `--token=${CANARY}`] } }],
  ['a variable', { handler: { ...SHELL, env: { DB_PASSWORD: CANARY, DSN: `postgres://a:${CANARY}@db` } } }],
  ['standard input', { handler: { ...SHELL, stdin: `open ftp://a:${CANARY}@host` } }],
  ['a payload', { handler: SHELL, payload: { user: 'ann', password: CANARY } }],
  ['a payload of a follower', { handler: SHELL, then: [{ task: 'b', payload: { token: CANARY } }] }],
  ['a description', { handler: SHELL, description: `see https://a:${CANARY}@wiki.example` }],
])('%s is masked', (_, input) => {
  expect(JSON.stringify(shown(input))).not.toContain(CANARY);
  expect(JSON.stringify(redactUnknownDefinition({ name: 'a', ...input, unknownField: 1 }))).toBeDefined();
});

test('what holds no secret stays as it is: names, references, words that look alike', () => {
  const input = {
    name: 'a',
    key: 'billing-{{payload.author}}',
    handler: {
      type: 'http',
      url: 'https://x.example/?sort_key=name&author=ann',
      headers: { Authorization: { secret: 'ESCAPEMENT_SECRET_SHOP' }, 'Idempotency-Key': 'k', Accept: 'text/plain' },
      body: { design: 'x', author: 'ann', monkey: 'm', keyboard: 1 },
    },
    payload: { signal: 'go', key: 'orders' },
    notify: { email: ['ops@example.com'] },
  } satisfies TaskInput;
  const definition = taskDefinition.parse(input);
  expect(redactDefinition(definition)).toEqual(definition);
});

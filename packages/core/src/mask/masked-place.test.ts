import { expect, test } from 'vitest';
import { type TaskInput, taskDefinition } from '../task.ts';
import { maskedPlace } from './masked-place.ts';
import { redactDefinition } from './redact-definition.ts';

const HTTP = { type: 'http', url: 'https://x.example/' } as const;
const shell = (command: string) => ({ type: 'shell', command }) as const;
const SHELL = shell('true');

const definitionOf = (input: Omit<TaskInput, 'name'>) => taskDefinition.parse({ name: 'a', ...input });

test.each<[string, Omit<TaskInput, 'name'>]>([
  ['handler.url', { handler: { ...HTTP, url: 'https://app:s3cret@x.example/' } }],
  ['handler.url', { handler: { ...HTTP, url: 'https://x.example/?token=s3cret' } }],
  ['handler.headers.Authorization', { handler: { ...HTTP, headers: { Authorization: 'Bearer s3cret' } } }],
  ['handler.body.deep.0.apiKey', { handler: { ...HTTP, body: { deep: [{ apiKey: 's3cret' }] } } }],
  ['handler.env.DB_PASSWORD', { handler: { ...SHELL, env: { DB_PASSWORD: 's3cret' } } }],
  ['handler.command', { handler: shell('PGPASSWORD=s3cret psql') }],
  ['handler.command', { handler: shell("curl -u 'app:s3cret' https://x.example") }],
  ['handler.argv.2', { handler: { type: 'shell', argv: ['deploy', '--token', 's3cret'] } }],
  ['handler.stdin', { handler: { ...SHELL, stdin: 'open ftp://a:s3cret@host' } }],
  ['payload.password', { handler: SHELL, payload: { password: 's3cret' } }],
  ['then.0.payload.token', { handler: SHELL, then: [{ task: 'b', payload: { token: 's3cret' } }] }],
  ['notify.webhook.0', { handler: SHELL, notify: { webhook: ['https://hooks.example/services/s3cret'] } }],
])('what was shown of %s and is given back is found', (place, input) => {
  const definition = definitionOf(input);
  expect(maskedPlace(definition)).toBeUndefined();
  expect(maskedPlace(redactDefinition(definition))).toBe(place);
});

test('stars where no secret would stand are only stars', () => {
  const handler = { ...shell("echo '*** done ***'; grep '***' a"), stdin: '***' };
  expect(maskedPlace(definitionOf({ handler, description: '*** new ***', payload: { sort: '***' } }))).toBeUndefined();
});

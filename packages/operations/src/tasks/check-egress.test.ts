import { checkTask, type TaskInput } from '@escapement/core';
import { parseEgress } from '@escapement/core/egress';
import { expect, test } from 'vitest';
import { checkEgress } from './check-egress.ts';

const check = (task: Omit<TaskInput, 'name'>, egress?: string) =>
  checkEgress(checkTask({ name: 'ping', ...task }), egress === undefined ? undefined : parseEgress(egress));

test.each([
  ['http://127.1:6379/', 'loopback'],
  ['http://0x7f000001/', 'loopback'],
  ['http://[::ffff:169.254.169.254]/latest/meta-data', 'metadata'],
  ['https://localhost/', 'loopback'],
])('a task that asks %s is refused when it is saved, by the rule "%s"', (url, rule) => {
  expect(() => check({ handler: { type: 'http', url } })).toThrow(`rule "${rule}"`);
});

test('the refusal says where in the task it is', () => {
  const handler = { type: 'shell', command: 'true' } as const;
  const webhook = ['https://example.com/a', 'http://10.0.0.1/hook'];
  expect(() => check({ handler, notify: { webhook } })).toThrow(
    'task ping: notify.webhook.1: requests to 10.0.0.1 port 80 are not open: rule "private" (10.0.0.0/8)',
  );
});

test('what is open is saved, and so is a name: it is judged when it is looked up', () => {
  check({ handler: { type: 'http', url: 'http://127.0.0.1:8080/' } }, 'loopback:8080');
  check({ handler: { type: 'http', url: 'http://internal.example/' } });
});

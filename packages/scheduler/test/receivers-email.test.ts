import type { AlertMessage, AlertNote } from '@escapement/core/alerts';
import { DEFAULT_EGRESS } from '@escapement/core/egress';
import { afterEach, expect, test } from 'vitest';
import { createMemoryLog } from '../../service/test/memory-log.ts';
import { createMessageSender } from '../src/index.ts';
import { createSmtpServer, type Replies, type SmtpServer } from './smtp-server.ts';

const NOTE: AlertNote = {
  id: 'default-7',
  state: 'firing',
  rule: 'failed',
  severity: 'critical',
  subject: { task: 'nächtlich/report' },
  labels: { task: 'nächtlich/report', rule: 'failed' },
  summary: 'nächtlich/report failed',
  since: new Date('2026-03-01T02:30:00.000Z'),
  why: ['exit code 3'],
  runs: [],
  next: [],
  silence: '',
};
const message: AlertMessage = {
  ...{ id: 'n1', namespace: 'default', receiver: 'email:ops@example.com', group: 'rule=failed' },
  notes: [NOTE],
  repeated: false,
};

let server: SmtpServer | undefined;
afterEach(() => server?.close());

async function send(replies: Replies, url = (base: string) => base, to = ['ops@example.com']) {
  server = await createSmtpServer(replies);
  const { log, lines } = createMemoryLog();
  const sender = createMessageSender({
    secretOf: () => undefined,
    triggerTask: async () => undefined,
    smtpUrl: url(server.url),
    from: 'Jobs <jobs@example.com>',
    log,
    egress: DEFAULT_EGRESS,
  });
  const result = await sender.send(message, { type: 'email', to });
  return { sender, result, lines, mails: server.mails };
}

test('a mail arrives with sender, recipient, subject and text, marked as sent by a machine', async () => {
  const { result, mails } = await send({});
  expect(result).toEqual({ status: 'sent', detail: '250 queued as 42' });
  expect(mails).toHaveLength(1);
  expect(mails[0]).toMatchObject({ from: 'jobs@example.com', to: ['ops@example.com'] });
  expect(mails[0]?.data).toMatch(/^From: Jobs <jobs@example.com>\r$/m);
  expect(mails[0]?.data).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  expect(mails[0]?.data).toMatch(/^Subject: \S/m);
});

test('sent again, it has the same Message-ID', async () => {
  const { sender, mails } = await send({});
  await sender.send(message, { type: 'email', to: ['ops@example.com'] });
  const ids = mails.map((mail) => /^Message-ID: (.*)\r$/m.exec(mail.data)?.[1]);
  expect(ids[0]).toMatch(/^<[0-9a-f]{32}@example.com>$/);
  expect(ids[1]).toBe(ids[0]);
});

test.each([
  ['an unknown recipient', { 'RCPT TO': '550 5.1.1 no such user' }, true],
  ['a full mailbox', { 'RCPT TO': '452 4.2.2 mailbox full' }, false],
  ['a message that is refused', { '.': '554 5.7.1 looks like spam' }, true],
  ['a server that is busy', { greeting: '421 4.3.2 try later' }, false],
])('%s: whether another try is worth it follows the reply', async (_what, replies, permanent) => {
  const { result, lines } = await send(replies);
  expect(result).toMatchObject({ status: 'failed', permanent });
  expect(lines.at(-1)).toMatchObject({ level: 'debug', msg: 'message tried', message: 'n1', permanent });
});

test('an address that is refused beside others is told, and they get no second mail', async () => {
  const { result, mails } = await send({ 'RCPT TO:<gone@example.com>': '550 5.1.1 no such user' }, undefined, [
    'ops@example.com',
    'gone@example.com',
  ]);
  expect(mails[0]?.to).toEqual(['ops@example.com']);
  expect(result).toEqual({
    status: 'failed',
    permanent: true,
    error: expect.stringMatching(/^sent, but not to gone@example\.com: .*550 5\.1\.1 no such user/),
  });
});

test('a refused password is worth another try, and is not shown', async () => {
  const { result, lines } = await send({ AUTH: '535 5.7.8 bad credentials' }, (base) =>
    base.replace('smtp://', 'smtp://me:s3cret@'),
  );
  expect(result).toMatchObject({ status: 'failed', permanent: false, error: expect.stringContaining('535') });
  expect(JSON.stringify([result, lines])).not.toContain('s3cret');
});

test('a server that is away is worth another try', async () => {
  server = await createSmtpServer();
  const { url } = server;
  await server.close();
  const sender = createMessageSender({
    secretOf: () => undefined,
    triggerTask: async () => undefined,
    smtpUrl: url,
    from: 'jobs@example.com',
    log: createMemoryLog().log,
    egress: DEFAULT_EGRESS,
  });
  expect(await sender.send(message, { type: 'email', to: ['ops@example.com'] })).toMatchObject({
    status: 'failed',
    permanent: false,
    error: expect.stringContaining('ECONNREFUSED'),
  });
});

test('without a mail server it fails for good and says what to set', async () => {
  const sender = createMessageSender({
    secretOf: () => undefined,
    triggerTask: async () => undefined,
    log: createMemoryLog().log,
    egress: DEFAULT_EGRESS,
  });
  expect(await sender.send(message, { type: 'email', to: ['ops@example.com'] })).toMatchObject({
    status: 'failed',
    permanent: true,
    error: expect.stringContaining('ESCAPEMENT_SMTP_URL'),
  });
});

test('what an alert was told by and its end are one thread, and its texts cannot begin a header', async () => {
  const forged = { ...NOTE, summary: 'a\r\nBcc: x@example.com', labels: { task: 'b\r\nBcc: y@example.com' } };
  const { sender, mails } = await send({});
  const over = { ...forged, state: 'resolved', resolvedAt: new Date('2026-03-01T03:00:00Z') } as const;
  await sender.send({ ...message, id: 'n2', notes: [over] }, { type: 'email', to: ['ops@example.com'] });
  const threads = mails.map(({ data }) => /^References: (.*)\r$/m.exec(data)?.[1]);
  expect(threads[0]).toMatch(/^<[0-9a-f]{32}@example.com>$/);
  expect(threads[1]).toBe(threads[0]);
  expect(mails[1]?.data).toMatch(/^Subject: \[Escapement\] resolved: a Bcc: x@example.com\r$/m);
  expect(mails[1]?.data).not.toMatch(/^Bcc:/im);
});

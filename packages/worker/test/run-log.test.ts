import { saveTask, triggerTask } from '@escapement/operations';
import { openDatabase, readLogs } from '@escapement/store';
import { by, startProxy, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { createRunLogWriter } from '../src/execute/run-log-writer.ts';

const { url } = await testDatabase();
const proxy = await startProxy(url);
const db = openDatabase({ url: proxy.url, applicationName: 'logs', onError: () => undefined });
afterAll(() => db.close());

const lost: number[] = [];
const writer = createRunLogWriter({ db, onLost: (_, characters) => lost.push(characters), mayPersist: () => true });

const task = { name: 'writes', handler: { type: 'shell', command: 'true' } } as const;
await saveTask(db, task, { source: 'test', by: by('test') });
const aRun = () => triggerTask(db, 'writes', { by: by('test') });

async function logOf(runId: string): Promise<string> {
  const chunks = await readLogs(db, runId, { limit: 1000 });
  expect(chunks.map(({ seq }) => seq)).toEqual(chunks.map((_, index) => index + 1));
  return chunks.map(({ text }) => text).join('');
}

it('keeps what runs write in order, in pieces, without parting a character', async () => {
  const run = await aRun();
  const log = writer.open(run, 1);
  const text = 'a'.repeat(48 * 1024 - 1) + '😀'.repeat(30_000);
  log.write(text);
  log.write('the end');
  await log.close();
  expect(await logOf(run)).toBe(`${text}the end`);
});

it('neither loses nor doubles anything when the reply to a write is lost', async () => {
  const run = await aRun();
  const log = writer.open(run, 1);
  proxy.loseReply('INSERT INTO run_log_chunk');
  log.write('first, ');
  const closed = log.close();
  log.write('late');
  await closed;
  expect(await logOf(run)).toMatch(/^first, (late)?$/);
  expect(lost).toEqual([]);
});

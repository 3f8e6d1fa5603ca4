import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestFleet, type TestFleet } from '@escapement/test-fleet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import processDirectory from '../process-directory.ts';
import processFile from '../process-file.ts';

const MINUTE_MS = 60_000;

let fleet: TestFleet;
let folder: string;

const bookings = (...cents: number[]) =>
  cents.map((each) => `${JSON.stringify({ account: 'a', cents: each })}\n`).join('');
const put = (file: string, text: string) => writeFile(path.join(folder, file), text);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'escapement-bookings-'));
  fleet = await startTestFleet({ tasks: [processFile, processDirectory] });
}, 60_000);

afterAll(async () => {
  await fleet?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('files are processed one after the other in the order of their names, and a poison file is put aside', async () => {
  // The task is also due each minute: a run of its own would take the files.
  await fleet.advance(new Date(Math.ceil(fleet.now().getTime() / MINUTE_MS) * MINUTE_MS + 1_000));
  await put('1.jsonl', bookings(100, 250));
  await put('2.jsonl', `${bookings(7)}{"account":"a","cents":"much"}\n`);
  await put('3.jsonl', bookings(1));
  const { id } = await fleet.trigger(processDirectory, { folder });
  await fleet.advance('5s');
  const run = (await fleet.runs(processDirectory)).find((each) => each.id === id);
  expect(run).toMatchObject({ state: 'succeeded', output: { files: 2, poisoned: 1, cents: 351 } });
  expect((await readdir(path.join(folder, 'done'))).toSorted()).toEqual(['1.jsonl', '3.jsonl']);
  expect(await readdir(path.join(folder, 'poison'))).toEqual(['2.jsonl']);

  const files = await fleet.runs(processFile);
  expect(files.map(({ state, attempt }) => `${state} ${attempt}`)).toEqual(['succeeded 1', 'failed 2', 'succeeded 1']);
  const spans = files.map(
    ({ startedAt, finishedAt }) => [startedAt?.getTime() ?? 0, finishedAt?.getTime() ?? 0] as const,
  );
  for (const [index, [begun]] of spans.entries()) expect(begun).toBeGreaterThanOrEqual(spans[index - 1]?.[1] ?? 0);
});

test('a folder without files is a run that says so', async () => {
  const run = await fleet.trigger(processDirectory, { folder });
  expect(run).toMatchObject({ state: 'skipped', reason: `there is no file in ${folder}` });
});

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { triggerTask } from '@escapement/operations';
import { listTasks, openDatabase } from '@escapement/store';
import { afterFile, by, spawnNode, testDatabase, testRedis } from '@escapement/testkit';
import { afterAll, expect, test } from 'vitest';

const at = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const START_MS = 45_000;

const folder = mkdtempSync(path.join(tmpdir(), 'escapement-examples-'));
afterFile(() => rmSync(folder, { recursive: true, force: true }));

/** A stand-in, so that the test needs no client programs of Postgres: writes where it is told, fails without a database. */
const PG_DUMP = `#!/bin/sh
for option; do case "$option" in --file=*) file="\${option#--file=}";; --dbname=*) url="\${option#--dbname=}";; esac; done
echo half > "$file"
[ -n "$url" ] || exit 1
echo "dump of $url" > "$file"
`;
writeFileSync(path.join(folder, 'pg_dump'), PG_DUMP);
chmodSync(path.join(folder, 'pg_dump'), 0o755);

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());
const env = {
  DATABASE_URL: url,
  REDIS_URL: (await testRedis()).url,
  ESCAPEMENT_HEALTH_PORT: '0',
  ESCAPEMENT_EGRESS: 'loopback',
};
const scheduler = spawnNode(at('apps/scheduler/src/main.ts'), { env, fromSource: true });
const worker = spawnNode(at('apps/worker/src/main.ts'), {
  fromSource: true,
  env: {
    ...env,
    ESCAPEMENT_TASKS: at('examples'),
    ESCAPEMENT_ALLOW_SHELL: 'true',
    ESCAPEMENT_SECRET_DUMP_URL: 'postgres://shop',
    PATH: `${folder}:${process.env.PATH}`,
  },
});
await Promise.all([
  scheduler.waitForLine('scheduler is running', START_MS),
  worker.waitForLine('worker is running', START_MS),
]);

interface Row {
  state: string;
  reason: string | null;
  output: unknown;
  key: string;
  started_at: Date;
  finished_at: Date;
}

async function until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const trigger = (task: string, payload?: object) =>
  triggerTask(db, task, { by: by('test'), ...(payload && { payload: JSON.parse(JSON.stringify(payload)) }) });

/** These runs, once all have ended. */
const ended = (ids: readonly string[]): Promise<Row[]> =>
  until(async () => {
    const { rows } = await db.pool.query<Row>(
      `SELECT state, reason, output, key, started_at, finished_at FROM run
       WHERE id = ANY($1::uuid[]) AND finished_at IS NOT NULL ORDER BY started_at`,
      [ids],
    );
    return rows.length === ids.length ? rows : undefined;
  });

/** A run by hand that was not skipped: an occurrence of the task's own schedule may be at work just now. */
async function ran(task: string, payload?: object): Promise<Row> {
  for (;;) {
    const [run] = await ended([await trigger(task, payload)]);
    if (run && run.state !== 'skipped') return run;
  }
}

/** A task of examples/apply, with some of its words replaced. */
async function apply(file: string, words: Record<string, string>): Promise<void> {
  let text = readFileSync(at(`examples/apply/${file}`), 'utf8');
  for (const [word, other] of Object.entries(words)) {
    expect(text).toContain(word);
    text = text.replaceAll(word, other);
  }
  writeFileSync(path.join(folder, file), text);
  const args = ['apply', '-f', path.join(folder, file), '--set', file];
  const cli = spawnNode(at('apps/cli/src/main.ts'), { args, env });
  expect(await cli.exited, cli.lines.join('\n')).toMatchObject({ code: 0 });
}

test('each example is loaded and saved', async () => {
  const modules = readdirSync(at('examples')).filter((name) => /(?<!\.test)\.ts$/.test(name));
  const saved = await listTasks(db, { source: 'code' });
  expect(saved.map(({ name }) => `${name}.ts`).toSorted()).toEqual(modules.toSorted());
  expect(worker.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test('invoices and delivery notes are printed side by side, but never two of a kind', async () => {
  const documents = [1, 2, 3, 4, 5, 6].flatMap((number) => [
    { kind: 'invoice', number },
    { kind: 'delivery-note', number },
  ]);
  const runs = await ended(await Promise.all(documents.map((document) => trigger('print-document', document))));
  expect(runs.map(({ state, reason }) => ({ state, reason }))).toEqual(
    documents.map(() => ({ state: 'succeeded', reason: null })),
  );
  const meets = (one: Row, other: Row) => one.started_at < other.finished_at && other.started_at < one.finished_at;
  const pairs = runs.flatMap((one, place) => runs.slice(place + 1).map((other) => [one, other] as const));
  expect(pairs.filter(([one, other]) => one.key === other.key && meets(one, other))).toEqual([]);
  expect(pairs.some(([one, other]) => one.key !== other.key && meets(one, other))).toBe(true);
}, 120_000);

test('a poison file is put aside, and the others are processed', async () => {
  const files = path.join(folder, 'bookings');
  mkdirSync(files);
  for (const name of ['1', '3']) writeFileSync(path.join(files, `${name}.jsonl`), '{"account":"a","cents":7}\n');
  writeFileSync(path.join(files, '2.jsonl'), 'poison');
  const run = await ran('process-directory', { folder: files });
  expect(run).toMatchObject({ state: 'succeeded', output: { files: 2, poisoned: 1, cents: 14 } });
  expect(readdirSync(path.join(files, 'poison'))).toEqual(['2.jsonl']);
}, 60_000);

test('the ping asks the server, and is due within its jitter of ten seconds', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  await apply('http-ping.yaml', { '127.0.0.1:8080': `127.0.0.1:${address.port}`, 'everyMs: 60000': 'everyMs: 12000' });
  const run = await ran('http-ping');
  expect(run).toMatchObject({ state: 'succeeded', output: { status: 200 } });
  expect(asked).toBeGreaterThanOrEqual(1);
  const due = await until(async () => {
    const { rows } = await db.pool.query<{ late: number }>(
      `SELECT extract(epoch FROM r.due_at - r.scheduled_for)::float AS late FROM run r JOIN task t ON t.id = r.task_id
       WHERE t.name = 'http-ping' AND r.origin = 'schedule'`,
    );
    return rows.length > 0 ? rows : undefined;
  });
  expect(due.filter(({ late }) => late < 0 || late > 10)).toEqual([]);
}, 60_000);

test('the dump is there under its name when it is whole, and the seven latest are kept', async () => {
  const dumps = path.join(folder, 'dumps');
  await apply('database-dump.yaml', { '/var/backups/escapement': dumps });
  const first = await ran('database-dump');
  expect(first).toMatchObject({ state: 'succeeded' });
  const [made = ''] = readdirSync(dumps);
  expect(readFileSync(path.join(dumps, made), 'utf8')).toBe('dump of postgres://shop\n');
  for (let day = 1; day <= 9; day++) writeFileSync(path.join(dumps, `dump-2020-01-0${day}T033000Z.pgdump`), 'old');
  writeFileSync(path.join(dumps, 'dump-2020-01-10T033000Z.pgdump.part'), 'half');
  await ran('database-dump');
  const kept = readdirSync(dumps).toSorted();
  expect(kept).toHaveLength(7);
  expect(kept[0]).toMatch(/^dump-2020-01-0[45]/);
  expect(kept.filter((name) => name.endsWith('.part'))).toEqual([]);
}, 60_000);

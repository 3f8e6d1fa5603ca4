import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { triggerTask } from '@escapement/operations';
import { openDatabase, readLogs } from '@escapement/store';
import { afterFile, by, spawnNode, testDatabase, testRedis } from '@escapement/testkit';
import { expect, test } from 'vitest';

const START_MS = 45_000;
const main = (app: string) => new URL(`../../${app}/src/main.ts`, import.meta.url);

/** As a user writes it: an enum, a parameter property, and the name that the compiler lets one write for `colour.ts`. */
const IN_TYPESCRIPT = {
  'lib/colour.ts': `export enum Colour { Red = 'red' }
export class Paint { constructor(readonly colour: Colour) {} }`,
  'in-typescript.ts': `import { defineTask } from '@escapement/sdk';
import { Colour, Paint } from './lib/colour.js';
export default defineTask({
  name: 'in-typescript',
  async run(_payload, { log }): Promise<void> {
    const paint: Paint = new Paint(Colour.Red);
    log.write((paint.colour satisfies string) + '\\n');
  },
});`,
};

/** A folder of modules where packages of this repository are found. */
async function folderOf(files: Record<string, string>): Promise<string> {
  const folder = fileURLToPath(new URL(`../dist/test-${randomUUID()}/`, import.meta.url));
  afterFile(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

async function fleet(files: Record<string, string>) {
  const { url } = await testDatabase();
  const redis = await testRedis();
  const db = openDatabase({ url, applicationName: 'test' });
  afterFile(() => db.close());
  const env = {
    DATABASE_URL: url,
    REDIS_URL: redis.url,
    ESCAPEMENT_HEALTH_PORT: '0',
    ESCAPEMENT_TASKS: await folderOf(files),
  };
  const scheduler = spawnNode(main('scheduler'), { env });
  const worker = spawnNode(main('worker'), { env });
  const { url: health } = JSON.parse(await worker.waitForLine('health server listens', START_MS));
  await worker.waitForLine('worker is running', START_MS);
  await scheduler.waitForLine('scheduler is running', START_MS);
  return { db, worker, health };
}

test('a worker that was built runs tasks in TypeScript without a loader, on any Node', async () => {
  const { db, worker } = await fleet(IN_TYPESCRIPT);
  await worker.waitForLine('task created from code', START_MS);
  const id = await triggerTask(db, 'in-typescript', { by: by('test') });
  await worker.waitForLine('run succeeded', START_MS);
  expect((await readLogs(db, id)).map(({ text }) => text).join('')).toContain('red\n');
});

test('a worker that could load none of its tasks is not ready, and says so', async () => {
  const { health, worker } = await fleet({ 'broken.ts': `throw new Error('cannot be loaded');` });
  const answer = await fetch(`${health}/readyz`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({
    checks: expect.arrayContaining([
      expect.objectContaining({ name: 'tasks', ok: false, detail: '0 loaded, 1 not: see the log of its start' }),
    ]),
  });
  expect(worker.lines.join('\n')).toContain('broken.ts cannot be imported: Error: cannot be loaded');
});

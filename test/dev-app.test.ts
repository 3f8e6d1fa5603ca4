import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startApp } from '@escapement/dev';
import { afterFile, eventually, stopwatch } from '@escapement/testkit';
import { expect, test } from 'vitest';

const folder = mkdtempSync(path.join(tmpdir(), 'escapement-dev-app-'));
afterFile(() => rmSync(folder, { recursive: true, force: true }));

/** Writes its process id, and that of a child in a group of its own, once both are deaf to SIGTERM. */
const STUBBORN = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
process.on('SIGTERM', () => undefined);
const deaf = "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000); console.log('deaf')";
const child = spawn(process.execPath, ['-e', deaf], { detached: true });
child.stdout.once('data', () => writeFileSync(process.env.PIDS, JSON.stringify([process.pid, child.pid])));
setInterval(() => undefined, 1000);
`;

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('an app that does not end is killed within 5 s, with what it started in other process groups', async () => {
  const entry = path.join(folder, 'main.mjs');
  const pidFile = path.join(folder, 'pids.json');
  writeFileSync(entry, STUBBORN);
  const app = startApp({ name: 'worker', start: [entry], cwd: folder }, { ...process.env, PIDS: pidFile });
  const pids = await eventually((): number[] => JSON.parse(readFileSync(pidFile, 'utf8')), 20_000);
  expect(pids.map(isAlive)).toEqual([true, true]);

  const tookMs = await stopwatch();
  await app.stop();
  expect(await tookMs()).toBeLessThan(5_000);
  await eventually(() => expect(pids.map(isAlive)).toEqual([false, false]), 5_000);
});

test('an app that has ended for want of a server is started again when that is back', async () => {
  const entry = path.join(folder, 'wants-a-server.mjs');
  const server = path.join(folder, 'server');
  const started = path.join(folder, 'started');
  writeFileSync(
    entry,
    `import { appendFileSync, existsSync } from 'node:fs';
appendFileSync(process.env.STARTED, 'x');
if (!existsSync(process.env.SERVER)) process.exit(1);
setInterval(() => undefined, 1000);`,
  );
  const app = startApp(
    { name: 'worker', start: [entry], cwd: folder },
    { ...process.env, SERVER: server, STARTED: started },
  );
  await eventually(() => expect(readFileSync(started, 'utf8')).toBe('x'), 20_000);
  writeFileSync(server, '');
  await eventually(async () => {
    await app.revive();
    expect(readFileSync(started, 'utf8')).toBe('xx');
  }, 20_000);
  await app.revive();
  await app.stop();
  expect(readFileSync(started, 'utf8')).toBe('xx');
});

import { spawnNode } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { isAlive } from './processes.ts';

async function startWorker() {
  const worker = spawnNode(new URL('fixtures/code-worker.ts', import.meta.url));
  const pidOf = async (line: string) => Number(/\d+/.exec(await worker.waitForLine(line))?.[0]);
  return { worker, blocking: await pidOf('about to block'), stubborn: await pidOf('started') };
}

test('handlers end with a worker that is killed, also one that blocks its event loop', async () => {
  const { worker, blocking, stubborn } = await startWorker();
  expect([blocking, stubborn].map(isAlive)).toEqual([true, true]);
  process.kill(worker.pid, 'SIGKILL');
  await expect.poll(() => [blocking, stubborn].map(isAlive), { timeout: 20_000 }).toEqual([false, false]);
});

test('a handler ends when its worker is frozen, before another worker takes the run', async () => {
  const { worker, stubborn } = await startWorker();
  process.kill(worker.pid, 'SIGSTOP');
  await expect.poll(() => isAlive(stubborn), { timeout: 20_000 }).toBe(false);
  await worker.kill();
});

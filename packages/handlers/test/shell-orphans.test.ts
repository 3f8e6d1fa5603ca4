import { spawn } from 'node:child_process';
import { built } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { isAlive } from './processes.ts';

async function startWorker() {
  const script = built(new URL('fixtures/shell-worker.ts', import.meta.url));
  const worker = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const piece of worker.stdout.iterator({ destroyOnReturn: false })) {
    said += String(piece);
    if (/held \d+\n/.test(said)) break;
  }
  const pid = (word: string) => Number(new RegExp(`${word} (\\d+)`).exec(said)?.[1]);
  return { worker, left: pid('left'), held: pid('held') };
}

test('the processes of a run end with a worker that is killed; what a finished run left behind does not', async () => {
  const { worker, left, held } = await startWorker();
  try {
    expect([left, held].map(isAlive)).toEqual([true, true]);
    worker.kill('SIGKILL');
    await expect.poll(() => isAlive(held), { timeout: 20_000 }).toBe(false);
    expect(isAlive(left)).toBe(true);
  } finally {
    process.kill(left, 'SIGKILL');
  }
});

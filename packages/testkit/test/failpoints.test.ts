import { expect, test } from 'vitest';
import { type Failpoint, spawnNode } from '../src/index.ts';

const entry = new URL('./failing-main.ts', import.meta.url);
const module = 'packages/testkit/test/failing-work.ts';
const answer: Failpoint = { module, name: 'answer' };
const count: Failpoint = { module, name: 'createCounter.count' };

function start(patches: { module: string; find: string; replace: string }[] = []) {
  return spawnNode(entry, { inject: { failpoints: [answer, count], patches } });
}

test('a function of a living process fails once, then works again', async () => {
  const child = start();
  await child.waitForLine('the answer is 42');
  const armed = child.arm({ point: answer, when: 'before', action: 'throw' });
  await child.waitForLine(`failed: failpoint ${module}#answer`);
  expect(await armed.fired(0)).toBe(true);
  const said = child.lines.length;
  await expect.poll(() => child.lines.slice(said).some((line) => line.startsWith('the answer'))).toBe(true);
});

test('a process kills itself after a method of what a function made has done its work', async () => {
  const child = start();
  await child.waitForLine('the answer is 42');
  child.arm({ point: count, when: 'after', action: 'exit' });
  expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
});

test('a process freezes itself with a call on its way, and goes on when it is thawed', async () => {
  const child = start();
  await child.waitForLine('the answer is 42');
  const armed = child.arm({ point: answer, when: 'during', action: 'freeze' });
  expect(await armed.fired(15_000)).toBe(true);
  await expect.poll(() => silentFor(child, 100)).toBe(true);
  const said = child.lines.length;
  child.thaw();
  await expect.poll(() => child.lines.length).toBeGreaterThan(said);
});

test('a guard is taken away from its source', async () => {
  const child = start([{ module, find: 'is 42', replace: 'is not known' }]);
  await child.waitForLine('the answer is not known');
});

test('a process whose source has not what is to be taken away does not start', async () => {
  const child = start([{ module, find: 'is 43', replace: '' }]);
  await expect(child.waitForLine('the answer')).rejects.toThrow('has no "is 43" to take away');
});

async function silentFor(child: { lines: readonly string[] }, ms: number): Promise<boolean> {
  const said = child.lines.length;
  await new Promise((resolve) => setTimeout(resolve, ms));
  return child.lines.length === said;
}

import { HOUR, systemClock } from '@escapement/core';
import { expect, test } from 'vitest';
import { skewedClock, spawnNode } from '../src/index.ts';

const clock = skewedClock();

test.skipIf(!clock)('the clock of a living process is set, and set right again', async () => {
  const child = spawnNode(new URL('./failing-main.ts', import.meta.url), { env: { ...clock?.env } });
  await child.waitForLine('clock');
  expect(Math.abs(aheadMs(child.lines))).toBeLessThan(HOUR / 2);
  clock?.set(HOUR);
  await expect.poll(() => aheadMs(child.lines), { timeout: 10_000 }).toBeGreaterThan(HOUR / 2);
  clock?.set(0);
  await expect.poll(() => aheadMs(child.lines), { timeout: 10_000 }).toBeLessThan(HOUR / 2);
});

/** How far ahead its clock was when it last said so. */
function aheadMs(lines: readonly string[]): number {
  const said = lines.findLast((line) => line.startsWith('clock '))?.slice('clock '.length) ?? '';
  return new Date(said).getTime() - systemClock.now().getTime();
}

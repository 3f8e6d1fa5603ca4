import { EscapementError } from '@escapement/core';
import type { DescribedTask, DescribedTasks } from '@escapement/handlers';
import { createLogger } from '@escapement/service';
import { expect, test } from 'vitest';
import { loadTasks, tasksCheck } from './load-tasks.ts';

const log = createLogger({ service: 'worker', instance: 'w', level: 'error', format: 'json', color: false });
const late = new EscapementError('task_unanswered', '/tasks/a.ts did not answer within 35 s');
const broken = new EscapementError('task_import', '/tasks/b.ts cannot be imported');
const task: DescribedTask = { file: '/tasks/c.ts', definition: { name: 'c', handler: { type: 'code', name: 'c' } } };

/** Loads of a worker: what comes of each, the last again and again. */
async function load(...results: Partial<DescribedTasks>[]) {
  const limits: unknown[] = [];
  const waits: number[] = [];
  const handlers = {
    load: async (_path: string, options?: { limitMs?: number | undefined }) => {
      const result = results[Math.min(limits.length, results.length - 1)];
      limits.push(options?.limitMs);
      return { tasks: [], problems: [], ...result };
    },
  };
  const code = await loadTasks(['/tasks'], { handlers, log, wait: async (ms) => void waits.push(ms) });
  return { code, limits, waits };
}

test('a module that does not answer is loaded again, with more time and after a longer wait each time', async () => {
  const { code, limits, waits } = await load(
    { problems: [late] },
    { problems: [late] },
    { problems: [late] },
    { problems: [late] },
    { tasks: [task] },
  );
  expect(limits).toEqual([30_000, 60_000, 120_000, 240_000, 480_000]);
  expect(waits).toEqual([2000, 4000, 8000, 16_000]);
  expect(code).toEqual({ tasks: [task], whole: true, failed: 0 });
});

test('where other tasks are there, a module that never answers is left out after three loads', async () => {
  const { code, limits } = await load({ tasks: [task], problems: [late] });
  expect(limits).toHaveLength(3);
  expect(code).toEqual({ tasks: [task], whole: false, failed: 1 });
  expect(await tasksCheck(code).run()).toMatchObject({ ok: true });
});

test('a module that cannot be imported is reported at once, and a worker without tasks is not ready', async () => {
  const { code, limits } = await load({ problems: [broken] });
  expect(limits).toHaveLength(1);
  expect(code).toEqual({ tasks: [], whole: false, failed: 1 });
  expect(await tasksCheck(code).run()).toMatchObject({ ok: false });
});

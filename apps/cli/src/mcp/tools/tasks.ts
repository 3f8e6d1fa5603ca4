import type { AnswerOf } from '@escapement/api/calls';
import { getTask, listTasks, previewTaskChange } from '@escapement/api/routes';
import { counted, inUtc } from '@escapement/core';
import { z } from 'zod';
import { taskNamed } from '../../commands/one-task.ts';
import { both, inQuery, own } from '../fields.ts';
import { pageThatFits } from '../page.ts';
import { tool } from '../tool.ts';
import { taskIn } from './task-in.ts';

const limit = z.int().min(1).max(100).default(20).meta({ description: 'Entries of a page.' });

/** Runs of each task of which the state is told. */
const RECENT = 10;

export const listTasksTool = tool({
  name: 'list_tasks',
  title: 'List tasks',
  description:
    'The tasks of the fleet: how each stands, when it starts next, how its latest runs went. get_task has the rest of one. `next` of the result, given as `after`, goes on.',
  route: listTasks,
  effect: null,
  writtenByTasks: 'lastRun.reason',
  input: both(
    inQuery(listTasks, ['name', 'label', 'state', 'pool', 'source', 'sort', 'order', 'after']),
    own({ limit }),
  ),
  async call({ limit = 20, ...query }, { withFleet, signal }) {
    const page = await withFleet((fleet) =>
      pageThatFits(limit, async (most) => {
        const { items, next } = await fleet.call(
          listTasks,
          { query: { ...query, recent: RECENT, limit: most } },
          { signal },
        );
        return { items: items.map(shortTask), next };
      }),
    );
    const words = `${counted(page.items.length, 'task')}${page.next === null ? '' : '; there are more'}`;
    return { result: page, words, rest: 'get_task shows one task' };
  },
});

function shortTask(task: AnswerOf<typeof listTasks>['items'][number]) {
  const { name, state, meaning, source, nextStartAt, planError, lastRun, recentRuns } = task;
  const { pool, labels } = task.definition;
  return {
    ...{ name, state, meaning, nextStartAt, planError, pool, labels, source, lastRun },
    recentStates: recentRuns.map(({ state: of }) => of),
  };
}

export const getTaskTool = tool({
  name: 'get_task',
  title: 'Show a task',
  description:
    'Everything about a task: its definition, when it runs in words, its state, pauses, pool, and why its runs wait if they do. Secrets are shown as ***.',
  route: getTask,
  effect: null,
  input: taskIn,
  async call({ task: name }, { withFleet, signal }) {
    const task = await withFleet(async (fleet) =>
      fleet.call(getTask, { params: await taskNamed(fleet, name) }, { signal }),
    );
    const next = task.nextStartAt ? `it starts next at ${inUtc(task.nextStartAt)}` : 'no next start is known';
    return {
      result: task,
      words: `${task.name}: ${task.stateWords}; ${task.meaning}; ${next}`,
      rest: `\`escapement -o json tasks show ${name}\``,
    };
  },
});

export const previewTaskChangeTool = tool({
  name: 'preview_task_change',
  title: 'Preview a change of a task',
  description:
    'What a change of the definition of a task would change: fires before and after, days when the clock changes, warnings. Nothing is written, and no tool here saves it: a person does, by `escapement tasks edit`.',
  route: previewTaskChange,
  effect: null,
  input: both(
    both(taskIn, inQuery(previewTaskChange, ['effectiveAt', 'days', 'count', 'timeZone'])),
    own({
      change: z.record(z.string(), z.unknown()).meta({
        description:
          'A JSON merge patch (RFC 7396) of the definition, as in {"schedule": {"expression": "0 4 * * *"}}; null takes a part out.',
      }),
    }),
  ),
  async call({ task: name, change, ...query }, { withFleet, signal }) {
    const preview = await withFleet(async (fleet) =>
      fleet.call(previewTaskChange, { params: await taskNamed(fleet, name), query, body: change }, { signal }),
    );
    const { changed, next, fires, lints } = preview.effect;
    const parts = changed.length === 0 ? 'nothing would change' : `these parts would change: ${changed.join(', ')}`;
    return {
      result: preview,
      words: `${name}: ${parts}; ${fires.added.count} fires more, ${fires.removed.count} fewer, ${fires.moved.count} moved; first fire ${next ? inUtc(next) : 'never'}; ${counted(lints.length, 'warning')}. Nothing was written`,
      rest: 'ask for fewer days, or a smaller count',
    };
  },
});

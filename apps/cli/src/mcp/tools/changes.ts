import { randomUUID } from 'node:crypto';
import { cancelRun, pauseTask, rerunRun, resumeTask, triggerRun } from '@escapement/api/routes';
import { counted, inUtc } from '@escapement/core';
import { z } from 'zod';
import { taskNamed } from '../../commands/one-task.ts';
import { both, inBody, own } from '../fields.ts';
import { tool } from '../tool.ts';
import { runIn, taskIn } from './task-in.ts';

export const triggerTaskTool = tool({
  name: 'trigger_task',
  title: 'Trigger a task',
  description:
    'Runs a task now, or at a time. It does for real whatever the task does. search_runs or get_run then tells how it went.',
  route: triggerRun,
  effect: { destructive: true, idempotent: false },
  input: both(
    both(taskIn, inBody(triggerRun, ['reason', 'key', 'at', 'worker'])),
    own({
      payload: z
        .unknown()
        .optional()
        .meta({ description: "JSON for this run instead of the task's own; at most 64 KiB." }),
      idempotencyKey: z
        .string()
        .optional()
        .meta({ description: 'The same key again, within a day, makes no second run. Default: each call makes one.' }),
    }),
  ),
  async call({ task, payload, idempotencyKey, ...body }, { withFleet, signal }) {
    const asked = { ...body, task, ...(payload === undefined ? {} : { payload: z.json().parse(payload) }) };
    const headers = { 'idempotency-key': idempotencyKey ?? randomUUID() };
    const { runs } = await withFleet((fleet) => fleet.call(triggerRun, { body: asked }, { signal, headers }));
    const ids = runs.map(({ id }) => id).join(', ');
    return { result: { task, runs }, words: `${task} was triggered: run ${ids}`, rest: 'search_runs' };
  },
});

export const pauseTaskTool = tool({
  name: 'pause_task',
  title: 'Pause a task',
  description:
    'Skips what falls due from now on, until an instant or until resume_task. Skipped occurrences are not run later. Runs that are at work go on.',
  route: pauseTask,
  effect: { destructive: true, idempotent: true },
  input: both(taskIn, inBody(pauseTask, ['reason', 'untilAt'])),
  async call({ task, ...body }, { withFleet, signal }) {
    const { untilAt } = await withFleet(async (fleet) =>
      fleet.call(pauseTask, { params: await taskNamed(fleet, task), body }, { signal }),
    );
    const end = untilAt ? `until ${inUtc(untilAt)}` : 'until it is resumed';
    return { result: { task, untilAt }, words: `${task} is paused ${end}`, rest: 'get_task' };
  },
});

export const resumeTaskTool = tool({
  name: 'resume_task',
  title: 'Resume a task',
  description: 'Ends the pauses of a task. What was skipped is not run later.',
  route: resumeTask,
  effect: { destructive: false, idempotent: true },
  input: both(taskIn, inBody(resumeTask, ['reason'])),
  async call({ task, ...body }, { withFleet, signal }) {
    const { endedPauses } = await withFleet(async (fleet) =>
      fleet.call(resumeTask, { params: await taskNamed(fleet, task), body }, { signal }),
    );
    return {
      result: { task, endedPauses },
      words: `${counted(endedPauses, 'pause')} of ${task} ended`,
      rest: 'get_task',
    };
  },
});

export const cancelRunTool = tool({
  name: 'cancel_run',
  title: 'Cancel a run',
  description:
    'Ends a run, and the runs that it has fanned out. With `requested` a worker runs it and will stop it: get_run tells when it has ended.',
  route: cancelRun,
  effect: { destructive: true, idempotent: true },
  input: both(runIn, inBody(cancelRun, ['reason'])),
  async call({ run: id, ...body }, { withFleet, signal }) {
    const cancelled = await withFleet((fleet) => fleet.call(cancelRun, { params: { id }, body }, { signal }));
    const { task, kind, state } = cancelled;
    return { result: cancelled, words: `run ${cancelled.id} of ${task} was ${state}: ${kind}`, rest: 'get_run' };
  },
});

export const rerunRunTool = tool({
  name: 'rerun_run',
  title: 'Rerun a run',
  description:
    'Runs a run that has ended once more, for the same occurrence and with the same payload. It does for real whatever the task does.',
  route: rerunRun,
  effect: { destructive: true, idempotent: false },
  input: both(runIn, inBody(rerunRun, ['reason', 'sameVersion'])),
  async call({ run: id, ...body }, { withFleet, signal }) {
    const made = await withFleet((fleet) => fleet.call(rerunRun, { params: { id }, body }, { signal }));
    return {
      result: made,
      words: `run ${made.rerunOf} of ${made.task} runs again as ${made.id}`,
      rest: 'get_run',
    };
  },
});

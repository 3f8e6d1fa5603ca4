import { getTask } from '@escapement/api/routes';
import { EscapementError } from '@escapement/core';
import { explainSchedule, lintSchedule, parseSchedule } from '@escapement/core/schedule';
import { z } from 'zod';
import { taskNamed } from '../../commands/one-task.ts';
import { askedSchedule } from '../../schedule/asked.ts';
import { takeFires } from '../../schedule/fires.ts';
import { own } from '../fields.ts';
import { type Asking, type ToolAnswer, tool } from '../tool.ts';

const FIRES = 5;

interface ExpressionAsked {
  expression: string;
  timeZone: string;
  dialect?: 'unix' | 'vixie' | 'quartz' | undefined;
}

export const explainScheduleTool = tool({
  name: 'explain_schedule',
  title: 'Explain a schedule',
  description:
    'What a cron expression, or the schedule of a task, means in words, when it is due next, and likely mistakes: dates that never come, hours that a change of the clock skips or repeats. Give `expression` or `task`. An expression needs no server and no right.',
  route: getTask,
  effect: null,
  input: own({
    task: z.string().min(1).max(200).optional().meta({ description: 'The name of a saved task.' }),
    expression: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .meta({ description: 'A cron expression or macro: `30 2 * * mon-fri`, `@daily`.' }),
    timeZone: z.string().max(64).default('UTC').meta({ description: 'Of the expression: `Europe/Berlin`.' }),
    dialect: z.enum(['unix', 'vixie', 'quartz']).optional().meta({ description: 'Default: unix.' }),
  }),
  async call({ task, expression, timeZone = 'UTC', dialect }, asking) {
    if (expression !== undefined && task === undefined)
      return await ofExpression({ expression, timeZone, dialect }, asking);
    if (task !== undefined && expression === undefined) return await ofTask(task, asking);
    throw new EscapementError(
      'bad_arguments',
      `${task === undefined ? 'neither' : 'both'} expression and task are given`,
      {
        fix: 'give one of them',
      },
    );
  },
});

async function ofExpression(
  { expression, timeZone, dialect }: ExpressionAsked,
  { context }: Asking,
): Promise<ToolAnswer> {
  const options = { tz: timeZone, ...(dialect === undefined ? {} : { dialect }) };
  const asked = await askedSchedule([expression], options, context);
  const meaning = explainSchedule(asked.schedule);
  const warnings = lintSchedule(asked.schedule, asked.now);
  const next = takeFires(asked, FIRES).map(({ at, local }) => ({ at, local }));
  return { result: { expression, timeZone, meaning, next, warnings }, words: meaning, rest: '`escapement explain`' };
}

async function ofTask(name: string, { withFleet, clock, signal }: Asking): Promise<ToolAnswer> {
  const task = await withFleet(async (fleet) =>
    fleet.call(getTask, { params: await taskNamed(fleet, name) }, { signal }),
  );
  const { schedule: spec, calendars } = task.definition;
  const schedule = parseSchedule(spec, { seed: task.name });
  const meaning = explainSchedule(schedule);
  const { nextStartAt, pauses } = task;
  return {
    result: {
      task: task.name,
      schedule: spec,
      calendars,
      meaning,
      nextStartAt,
      pauses,
      warnings: lintSchedule(schedule, clock.now()),
    },
    words:
      `${meaning} ${calendars || pauses.length > 0 ? 'Calendars and pauses count too: see nextStartAt.' : ''}`.trim(),
    rest: `\`escapement explain --task ${name}\``,
  };
}

import type { AnswerOf } from '@escapement/api/calls';
import { replayTask } from '@escapement/api/routes';
import { DAY, EscapementError, OVERLAP_RULES, type OverlapName, readSpan } from '@escapement/core';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { readCount } from '../options.ts';
import { counted, inUtc, span, systemZone } from '../output/wording.ts';
import { taskNamed } from './one-task.ts';

type WhatIf = AnswerOf<typeof replayTask>;

interface WhatIfOptions {
  schedule?: string;
  overlap?: OverlapName;
  limit?: number;
  over: number;
}

const MOST_MS = 366 * DAY;

/** `what-if`: what another schedule, policy or limit would have made of the last runs of a task. */
export function addWhatIf(program: Command, context: Context): void {
  program
    .command('what-if')
    .description('replay the recorded runs of a task by another schedule, overlap policy or limit')
    .argument('<name>', 'name of the task')
    .option('--schedule <expr>', 'a cron expression, with the zone and the dialect of the task')
    .addOption(
      new Option('--overlap <policy>', 'what a run does whose key is busy').choices(Object.keys(OVERLAP_RULES)),
    )
    .option('--limit <n>', 'how many runs of the key may be at work at once, 1 to 1000', readCount('--limit', 1, 1000))
    .option('--over <span>', 'replay so long a time until now, at most 366d', readSpan('--over'), 30 * DAY)
    .action((name: string, options: WhatIfOptions) => showWhatIf(name, options, context));
}

async function showWhatIf(name: string, options: WhatIfOptions, context: Context): Promise<void> {
  const { schedule: expression, overlap, limit, over } = options;
  if (expression === undefined && overlap === undefined && limit === undefined)
    throw new EscapementError('nothing_to_change', 'what-if was given nothing that would be another way', {
      fix: 'give --schedule, --overlap or --limit',
    });
  if (over <= 0 || over > MOST_MS)
    throw new EscapementError('bad_span', `--over is ${span(over)}`, { fix: 'give more than 0 and at most 366d' });
  const body = {
    ...{ expression, limit, overMs: over, timeZone: systemZone() },
    // With the options that it has by default.
    overlap: overlap && { policy: overlap },
  };
  const found = await withFleet(context, async (fleet) =>
    fleet.call(replayTask, { params: await taskNamed(fleet, name), body }),
  );
  const lines = linesOf(found);
  context.output.table({ task: name, ...found }, lines, [
    { title: '', value: ([what]) => what },
    { title: 'NOW', value: ([, now]) => now, align: 'right' },
    { title: 'THEN', value: ([, , then]) => then, align: 'right' },
  ]);
  if (found.timeZone !== null) context.output.note(`${expression} is by the clock of ${found.timeZone}`);
  context.output.note(
    `from ${inUtc(found.from)} on, with the durations of ${counted(found.recorded, 'run')}, beside the other runs of its key; pauses are not in it`,
  );
}

type Line = readonly [what: string, now: string, then: string];

function linesOf({ now, then }: WhatIf): Line[] {
  const line = (what: string, of: (outcome: WhatIf['now']) => string): Line => [what, of(now), of(then)];
  return [
    line('due', ({ due }) => String(due)),
    line('start', ({ started }) => String(started)),
    line('late', ({ late }) => String(late)),
    line('  95 % by at most', ({ lateP95Ms }) => span(lateP95Ms)),
    line('  the latest by', ({ longestWaitMs }) => span(longestWaitMs)),
    line('skipped', ({ skipped }) => String(skipped)),
    line('stop the one before', ({ replaced }) => String(replaced)),
    line('at work in all', ({ atWorkMs }) => span(atWorkMs)),
    line('first that meets another', ({ firstAt }) => (firstAt === null ? '-' : inUtc(firstAt))),
  ];
}

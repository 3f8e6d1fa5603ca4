import { EscapementError } from '@escapement/core';
import { DEAD_STATES, type RedriveResult, redriveRuns } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, whoAsks, withDatabase } from '../context.ts';
import { readInstant } from '../instant.ts';
import { MAX_WORDS, readCount, readWords } from '../options.ts';
import { counted, inUtc, systemZone } from '../output/wording.ts';
import { requireTask } from './tasks.ts';

type DeadState = (typeof DEAD_STATES)[number];

interface RedriveOptions {
  state: DeadState[];
  task?: string;
  since?: string;
  until?: string;
  limit: number;
  reason?: string;
  dryRun: boolean;
}

export function addRedrive(runs: Command, context: Context): void {
  runs
    .command('redrive')
    .description('run what failed for good once more, each run that has not been re-run yet')
    .requiredOption('--state <states>', `which, separated by commas: ${DEAD_STATES.join(', ')}`, readDeadStates)
    .option('--task <name>', 'only those of one task', readWords('--task'))
    .option('--since <instant>', 'scheduled then or later: ISO 8601, or a span such as 2h')
    .option('--until <instant>', 'scheduled before then')
    .option('--limit <n>', 'at most so many, the oldest first, 1 to 10000', readCount('--limit', 1, 10_000), 1000)
    .option('--reason <text>', `why, for the ledger; at most ${MAX_WORDS} characters`, readWords('--reason'))
    .option('--dry-run', 'only show what would be re-run', false)
    .action((options: RedriveOptions) => redrive(options, context));
}

/** Throws `unknown_state`. */
function readDeadStates(text: string, before: readonly DeadState[] = []): DeadState[] {
  const states = text.split(',').map((word) => {
    const state = DEAD_STATES.find((each) => each === word.trim());
    if (state) return state;
    throw new EscapementError('unknown_state', `--state is "${word.trim()}"`, {
      fix: `give one or more of ${DEAD_STATES.join(', ')}; any other run: \`escapement runs retry\` or \`resolve\``,
    });
  });
  return [...before, ...states];
}

async function redrive(options: RedriveOptions, context: Context): Promise<void> {
  const { output, clock } = context;
  const { state, task, limit, dryRun, reason } = options;
  const now = clock.now();
  const instant = (what: string, text: string) =>
    readInstant(text, { what, now, spans: 'ago', timeZone: systemZone() });
  const request = {
    states: state,
    limit,
    dryRun,
    who: whoAsks(),
    reason: reason || null,
    ...(task === undefined ? {} : { taskName: task }),
    ...(options.since === undefined ? {} : { since: instant('--since', options.since) }),
    ...(options.until === undefined ? {} : { until: instant('--until', options.until) }),
  };
  const result = await withDatabase(context, async (db) => {
    if (task !== undefined) await requireTask(db, task);
    return await redriveRuns(db, request);
  });
  output.table({ dryRun, ...result }, result.redriven, [
    { title: 'SCHEDULED FOR', value: ({ scheduledFor }) => inUtc(scheduledFor) },
    { title: 'TASK', value: ({ taskName }) => taskName },
    { title: 'RUN', value: ({ runId }) => runId },
    { title: 'RE-RUN', value: ({ rerunId }) => rerunId ?? '-' },
  ]);
  for (const line of remarks(result, dryRun)) output.note(line);
}

function remarks({ redriven, refused, left }: RedriveResult, dryRun: boolean): string[] {
  const runs = counted(redriven.length, 'run');
  return [
    ...refused.map(({ runId, taskName, why }) => `run ${runId} of ${taskName} cannot be re-run: ${why}`),
    dryRun ? `${runs} would be re-run; nothing was changed` : `${runs} re-run`,
    ...(left > 0 ? [`${left} more match; repeat the command, or give a larger --limit`] : []),
  ];
}

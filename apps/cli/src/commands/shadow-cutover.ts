import type { AnswerOf } from '@escapement/api/calls';
import { cutOverLines, settleCutover } from '@escapement/api/routes';
import { EscapementError, formatSpan, inUtc, readInstant } from '@escapement/core';
import type { CutoverAnswer, Side } from '@escapement/core/shadow';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { systemZone } from '../output/wording.ts';

interface CutoverOptions {
  allGreen?: boolean;
  source?: string;
  at?: string;
  dryRun: boolean;
  reason?: string;
}

const REASON = ['--reason <text>', 'why; kept in the audit'] as const;
const LINES = ['[lines...]', 'ids, as `escapement shadow status` shows them'] as const;

/** `shadow cutover`, `back` and `settle`: who runs a line from when on. */
export function addCutovers(shadow: Command, context: Context): void {
  withOptions(shadow.command('cutover').description('have the fleet run lines from an instant on, and cron no more'))
    .option('--all-green', 'all lines whose differences are explained, and that have agreed often enough', false)
    .option(
      '--source <name>',
      'with --all-green: only of the crontab, or the crontabs of the host, imported under this name',
    )
    .action((lines: string[], options: CutoverOptions) => cutOver(lines, { ...options, to: 'fleet' }, context));
  withOptions(
    shadow.command('back').description('have cron run lines again from an instant on, and the fleet no more'),
  ).action((lines: string[], options: CutoverOptions) => cutOver(lines, { ...options, to: 'cron' }, context));
  shadow
    .command('settle')
    .description('say whether a host has taken a cut-over, in the place of one that will not answer')
    .argument('<line>', 'id, as `escapement shadow status` shows it')
    .option('--taken', 'the line has changed sides at the instant')
    .option('--refused', 'it has not')
    .option(...REASON)
    .action((line: string, options: { taken?: true; refused?: true; reason?: string }) =>
      settle(line, options, context),
    );
}

function withOptions(command: Command): Command {
  return command
    .argument(...LINES)
    .option(
      '--at <instant>',
      'between the two fires around it; ISO 8601, or a span such as 12h; default: after two more fires',
    )
    .option('--dry-run', 'show what would be proposed, and propose nothing', false)
    .option(...REASON);
}

async function cutOver(
  lines: readonly string[],
  { to, allGreen = false, source, at: text, dryRun, reason }: CutoverOptions & { to: Side },
  context: Context,
): Promise<void> {
  if (allGreen === lines.length > 0)
    throw new EscapementError('bad_usage', 'the ids of lines are needed', {
      fix:
        to === 'fleet'
          ? 'name lines, or give --all-green, and not both'
          : 'name lines, as `escapement shadow status` shows them',
    });
  const now = context.clock.now();
  const at =
    text === undefined ? undefined : readInstant(text, { what: '--at', now, spans: 'ahead', timeZone: systemZone() });
  const body = {
    ...{ to, source, dryRun, reason, at: at?.toISOString() },
    ...(allGreen ? {} : { lines: [...lines] }),
  };
  const plan = await withFleet(context, (fleet) => fleet.call(cutOverLines, { body }));
  context.output.result({ dryRun, ...plan }, () => linesOf(plan, dryRun));
  if (!dryRun && plan.items.length > 0)
    context.output.note(
      'each host answers when it next tells what cron did, or at once: `escapement report --send` there, as the user that runs the line; `escapement shadow status` shows what was answered',
    );
}

function linesOf({ items, left }: AnswerOf<typeof cutOverLines>, dryRun: boolean): string[] {
  const chosen = items.flatMap(({ line, task, to, at, after, before, host, isRunning, waits }) => [
    `${line} ${task}: ${dryRun ? 'would be asked of' : 'asked of'} ${host}: from ${inUtc(at)} on ${to === 'fleet' ? 'the fleet' : 'cron'} runs it`,
    `    last by ${to === 'fleet' ? 'cron' : 'the fleet'} at ${inUtc(after)}, first by ${to === 'fleet' ? 'the fleet' : 'cron'} at ${inUtc(before)}; clocks may differ by ${formatSpan(Math.min(at.getTime() - after.getTime(), before.getTime() - at.getTime()))}`,
    ...(waits ? [`    before then: ${waits.advice}: ${waits.reason}`] : []),
    ...(isRunning ? ['    cron runs it at this moment: that goes on, and the next run may overlap with it'] : []),
  ]);
  const others = left.map(({ line, task, why }) => `${line} ${task}: stays as it is: ${why}`);
  return chosen.length + others.length > 0 ? [...chosen, ...others] : ['no task is in the shadow of cron'];
}

async function settle(
  line: string,
  { taken, refused, reason }: { taken?: true; refused?: true; reason?: string },
  context: Context,
): Promise<void> {
  if (taken === refused)
    throw new EscapementError('bad_usage', 'one of --taken and --refused is needed', {
      fix: '--taken: the line has changed sides at the instant; --refused: it has not',
    });
  const answer: CutoverAnswer = taken ? 'taken' : 'refused';
  const settled = await withFleet(context, (fleet) =>
    fleet.call(settleCutover, { params: { line }, body: { answer, reason } }),
  );
  context.output.result(settled, () => [
    `line ${line}: the cut-over to ${settled.to} at ${inUtc(settled.at)} is settled as ${answer}; what ${settled.host} says later counts more`,
  ]);
}

import { EscapementError, readInstant } from '@escapement/core';
import {
  acceptCopy,
  type CopyAccepted,
  type CopySeen,
  type CopyTerms,
  examineSchema,
  type Finding,
  judgeClock,
  judgeCopy,
  judgeRedisOfCopy,
  lookAtCopy,
} from '@escapement/operations';
import { redisServers } from '@escapement/service/config';
import type { Database } from '@escapement/store';
import { type Command, Option } from 'commander';
import { type Acting, type Context, configOf, fleetOf, withDatabase } from '../context.ts';
import { readNote } from '../options.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { printFindings } from '../output/findings.ts';
import { counted, systemZone } from '../output/wording.ts';
import { withRedis } from '../redis.ts';

interface RestoreOptions extends Pick<CopyTerms, 'runs' | 'gap'> {
  apply?: true;
  reason?: string;
  stoppedAt?: string;
}

/** Tasks that are shown, those with the most occurrences first. */
const SHOWN = 50;

export function addRestoreCheck(program: Command, context: Context, end: (code: ExitCode) => void): void {
  program
    .command('restore-check')
    .description('after a restore, before schedulers and workers start: what would run again; --apply makes it safe')
    .option('--apply', 'do it; without it nothing is changed')
    .option('--reason <text>', 'why, for the audit; with --apply', readNote('--reason'))
    .addOption(
      new Option(
        '--runs <what>',
        'open runs of the copy: end them, those that had begun as unknown; or let them start again',
      )
        .choices(['close', 'keep'])
        .default('close'),
    )
    .addOption(
      new Option('--gap <what>', 'what was due since the copy: kept as lost, or left to catch-up policies')
        .choices(['lost', 'catch-up'])
        .default('lost'),
    )
    .option('--stopped-at <instant>', 'since then nothing can have run: ISO 8601, or a span such as 2h; default: now')
    .action(async (options: RestoreOptions) => end(await restoreCheck(options, context)));
}

async function restoreCheck(options: RestoreOptions, context: Context): Promise<ExitCode> {
  return await withDatabase(context, async (db, by) =>
    options.apply ? await apply(db, by, { options, context }) : await show(db, context),
  );
}

async function show(db: Database, context: Context): Promise<ExitCode> {
  const seen = await lookAtCopy(db, fleetOf(context));
  const findings = [...judgeCopy(seen), ...(await judgeServers(seen, context)), ...(await examineSchema(db))];
  const { copyAt, checkedAt, copied, open, work, gap } = seen;
  const ok = !findings.some(({ level }) => level === 'problem') && !open;
  printFindings(context.output, { ok, copyAt, checkedAt, copied, open, work, gap, findings }, findings);
  printGap(seen, context);
  return ok ? EXIT.ok : EXIT.failed;
}

async function judgeServers({ now, open, marker }: CopySeen, context: Context): Promise<Finding[]> {
  const config = configOf(context);
  const clock = judgeClock('Postgres', now.getTime() - context.clock.now().getTime(), config.maxClockOffsetMs);
  const { redisUrl } = config;
  if (!open || redisUrl === undefined) return [clock];
  const { queue } = redisServers({ ...config, redisUrl });
  try {
    const found = await withRedis(queue, config.namespace, async (redis) => {
      const { readMarker } = await import('@escapement/queue/server');
      return await readMarker(redis);
    });
    return [clock, judgeRedisOfCopy('Redis', found, marker)];
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    return [clock, { subject: 'Redis', level: 'warning', detail: error.message, fix: error.fix ?? 'see its log' }];
  }
}

function printGap({ gap }: CopySeen, { output }: Context): void {
  if (output.format === 'json') return;
  for (const { task, occurrences, wouldRun, catchUp } of gap.slice(0, SHOWN))
    output.note(
      `${task}: ${counted(occurrences, 'occurrence')} due since; its catch-up policy (${catchUp}) would run ${wouldRun}`,
    );
  if (gap.length > SHOWN) output.note(`and ${counted(gap.length - SHOWN, 'more task')}: -o json shows all`);
}

async function apply(
  db: Database,
  by: Acting,
  { options, context }: { options: RestoreOptions; context: Context },
): Promise<ExitCode> {
  const { runs, gap, reason } = options;
  if (reason === undefined)
    throw new EscapementError('missing_option', '--apply needs --reason', {
      fix: 'say what happened: it stays in the audit',
    });
  const terms = { runs, gap, stoppedAt: stoppedAt(options, context), ...fleetOf(context) };
  const accepted = await acceptCopy(db, terms, by(reason));
  context.output.result({ ok: true, accepted }, () => wordsOf(accepted, options));
  return EXIT.ok;
}

function stoppedAt({ stoppedAt: text }: RestoreOptions, { clock }: Context): Date | undefined {
  if (text === undefined) return undefined;
  return readInstant(text, { what: '--stopped-at', now: clock.now(), spans: 'ago', timeZone: systemZone() });
}

function wordsOf(accepted: CopyAccepted | null, { runs, gap }: RestoreOptions): string[] {
  if (accepted === null) return ['accepted before, and nobody has worked on it since: nothing to do'];
  const { unknown, skipped, backfills, requests, batches, followers } = accepted;
  return [
    runs === 'keep'
      ? 'open runs start again'
      : `${counted(unknown, 'run')} ended as unknown, ${skipped} as skipped; stopped: ${counted(backfills, 'backfill')}, ${counted(requests, 'a bulk action', 'bulk actions')}, ${counted(batches, 'batch', 'batches')}, followers of ${counted(followers, 'run')}`,
    gap === 'lost'
      ? 'schedulers will keep what was due since the copy as lost, each occurrence in the ledger'
      : 'catch-up policies decide about what was due since the copy',
    'start schedulers and workers; then look at `escapement runs list --state unknown`',
  ];
}

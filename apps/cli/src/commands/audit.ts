import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerOf } from '@escapement/api/calls';
import { listAudit } from '@escapement/api/routes';
import { AUDIT_KINDS, EscapementError, readInstant, SECOND } from '@escapement/core';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type Calls, pagedItems, withFleet } from '../fleet.ts';
import { readCount } from '../options.ts';
import { auditDetail, principalWords } from '../output/audit.ts';
import type { Column } from '../output/table.ts';
import { inUtc, systemZone } from '../output/wording.ts';

const LOOK_EVERY_MS = 1 * SECOND;
/** So much later than it began an act may be committed. */
const LATE_MS = 10 * SECOND;
/** Entries of one look while following. */
const PAGE = 1000;

type Entry = AnswerOf<typeof listAudit>['items'][number];

interface LogOptions {
  on?: string;
  by?: string;
  action?: string;
  since?: string;
  until?: string;
  refused: boolean;
  each: boolean;
  limit: number;
  follow: boolean;
}

/** `audit log`: what people and programs have done. */
export function addAudit(program: Command, context: Context): void {
  const audit = program.command('audit').description('who did what to tasks, runs, keys, pools and the rest');
  audit
    .command('log')
    .description('the acts of people and programs, the latest last; kept for a year')
    .option('--on <subject>', `only what was done to one of them: ${AUDIT_KINDS.join(', ')}, as task:NAME`, readSubject)
    .option('--by <principal>', 'only what this one did, by name or id')
    .option('--action <action>', 'only acts of this name, such as pause')
    .option('--refused', 'only what was refused for want of a right', false)
    .option('--each', 'also each task and run that a bulk action was done to', false)
    .option('--since <instant>', 'then or later: ISO 8601, or a span such as 2h')
    .option('--until <instant>', 'before then')
    .option('--limit <n>', 'at most this many, the latest; 1 to 10000', readCount('--limit', 1, 10_000), 50)
    .option('-f, --follow', 'go on with what is done from now on, until Ctrl-C', false)
    .action((options: LogOptions) => showLog(options, context));
}

/** Throws `bad_subject`. */
function readSubject(text: string): string {
  const [kind = '', ...name] = text.split(':');
  if (AUDIT_KINDS.some((each) => each === kind) && name.join(':') !== '') return text;
  throw new EscapementError('bad_subject', `--on is "${text}"`, {
    fix: `give a kind and a name, such as task:nightly; kinds: ${AUDIT_KINDS.join(', ')}`,
  });
}

async function showLog(options: LogOptions, context: Context): Promise<void> {
  const { output } = context;
  const filter = filterOf(options, context);
  // Asked for before anything is said that invites a Ctrl-C.
  const signal = options.follow ? context.interruptible() : undefined;
  await withFleet(context, async (fleet) => {
    const entries = await latest(fleet, filter, options.limit);
    if (!signal) {
      output.table(entries, entries, COLUMNS);
      if (entries.length === 0) output.note('nothing matches');
      else if (entries.length === options.limit) output.note(`only the last ${options.limit}; more: --limit, --until`);
      return;
    }
    for (const entry of entries) print(entry, context);
    await follow(fleet, { filter, listed: entries }, signal, context);
  });
}

/** The latest that match, the earliest of them first. */
async function latest(fleet: Calls, filter: Filter, limit: number): Promise<Entry[]> {
  const entries = await pagedItems(limit, (page) => fleet.call(listAudit, { query: { ...filter, ...page } }));
  return entries.reverse();
}

/** Line by line: a table would not know the widths of what is still to come. */
async function follow(
  fleet: Calls,
  { filter, listed }: { filter: Filter; listed: readonly Entry[] },
  signal: AbortSignal,
  context: Context,
): Promise<void> {
  let seen: ReadonlySet<number> = new Set(listed.map(({ id }) => id));
  let since = listed.at(-1)?.at ?? context.clock.now();
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    // An act is to be seen when it is committed, and dated when it began: later ones may be seen before.
    const from = new Date(since.getTime() - LATE_MS).toISOString();
    const entries = await latest(fleet, { ...filter, since: from }, PAGE);
    for (const entry of entries) if (!seen.has(entry.id)) print(entry, context);
    seen = new Set(entries.map(({ id }) => id));
    since = entries.at(-1)?.at ?? since;
  }
}

function print(entry: Entry, { output }: Context): void {
  output.result(entry, () => [
    COLUMNS.map(({ value }) => value(entry))
      .filter(Boolean)
      .join('  '),
  ]);
}

const COLUMNS: readonly Column<Entry>[] = [
  { title: 'AT', value: ({ at }) => inUtc(at) },
  { title: 'BY', value: ({ principal }) => principalWords(principal) },
  { title: 'ACTION', value: ({ action, refused }) => (refused ? `${action} (refused)` : action) },
  { title: 'ON', value: ({ subject }) => subject },
  { title: 'DETAIL', value: ({ detail }) => auditDetail(detail) },
  { title: 'REASON', value: ({ reason }) => reason ?? '', wraps: true },
];

/** What the entries have to meet. */
interface Filter {
  subject: string | undefined;
  principal: string | undefined;
  action: string | undefined;
  refused: 'true' | undefined;
  parts: 'true' | undefined;
  since: string | undefined;
  until: string | undefined;
}

function filterOf({ on, by, action, refused, each, since, until }: LogOptions, { clock }: Context): Filter {
  const now = clock.now();
  const instant = (what: string, text: string) =>
    readInstant(text, { what, now, spans: 'ago', timeZone: systemZone() });
  const from = since === undefined ? undefined : instant('--since', since);
  if (from && from > now)
    throw new EscapementError('bad_range', `--since is ${inUtc(from)}, which is still to come`, {
      fix: 'nothing has been done then yet: give an instant that has passed, or a span such as 2h',
    });
  return {
    subject: on,
    principal: by,
    action,
    refused: refused ? 'true' : undefined,
    parts: each ? 'true' : undefined,
    since: from?.toISOString(),
    until: until === undefined ? undefined : instant('--until', until).toISOString(),
  };
}

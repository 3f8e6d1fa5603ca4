import type { AnswerOf } from '@escapement/api/calls';
import { getKey, listKeyHistory, listKeys } from '@escapement/api/routes';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { readCount, readWords } from '../options.ts';
import { auditLines, principalWords } from '../output/audit.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { rateTitle, rateUseWords } from '../output/rate.ts';
import type { Column } from '../output/table.ts';
import { tableLines } from '../output/table.ts';
import { inUtc, span } from '../output/wording.ts';

type Key = AnswerOf<typeof getKey>;
type SlotView = Key['slots'][number];

/** Entries of the history of a key. */
const MOST_ENTRIES = 1000;

interface ListOptions {
  busy: boolean;
  limit: number;
}

export function addKeys(keys: Command, context: Context, end: (code: ExitCode) => void): void {
  keys
    .command('list')
    .description('list the slots of all keys that were ever used, and the runs that hold them')
    .option('--busy', 'only keys that are held, leased or waited for', false)
    .option('--limit <n>', 'at most this many slots, 1 to 10000', readCount('--limit', 1, 10_000), 200)
    .action(async (options: ListOptions) => end(await showKeys(options, context)));
  keys
    .command('show')
    .description('the slots of a key, who waits for it, and what people did to it')
    .argument('<key>', 'a key, as `escapement keys list` shows it', readWords('the key'))
    .action(async (key: string) => end(await showKey(key, context)));
  keys
    .command('history')
    .description('what people did to a key: when, by whom, why')
    .argument('<key>', 'a key, as `escapement keys list` shows it', readWords('the key'))
    .action((key: string) => showHistory(key, context));
}

async function showKeys({ busy, limit }: ListOptions, context: Context): Promise<ExitCode> {
  const { output } = context;
  const answer = await withFleet(context, (fleet) =>
    fleet.call(listKeys, { query: { busy: busy ? 'true' : 'false', limit } }),
  );
  const { items: slots, leasesKnown } = answer;
  printLeases(answer, context);
  output.table({ leasesKnown, slots }, slots, columns(leasesKnown));
  if (slots.length === 0) output.note(busy ? 'no key is busy' : 'no key was ever in use');
  else if (slots.length >= limit) output.note(`only the first ${limit} slots; more: --limit, --busy`);
  return exitOf(leasesKnown);
}

/** What the ledger says is shown all the same, and is half of the answer. */
function exitOf(leasesKnown: boolean): ExitCode {
  return leasesKnown ? EXIT.ok : EXIT.unreachable;
}

async function showKey(key: string, context: Context): Promise<ExitCode> {
  const answer = await withFleet(context, (fleet) => fleet.call(getKey, { query: { key } }));
  const { slots, leasesKnown, rates, runs, audit } = answer;
  printLeases(answer, context);
  const { output } = context;
  output.result({ key, leasesKnown, slots, rates, runs, audit }, () => [
    ...tableLines(slots, columns(leasesKnown), output.width),
    ...rateLines(rates),
    ...runLines(
      'in the wait queue, the next first:',
      runs.filter(({ state }) => state === 'waiting'),
    ),
    ...runLines(
      'running beside, without a slot:',
      runs.filter(({ state }) => state === 'running'),
    ),
    ...auditLines(audit),
  ]);
  return exitOf(leasesKnown);
}

/** Says where nothing is known of leases. */
function printLeases({ leasesUnknown }: { leasesUnknown: string | null }, { output }: Context): void {
  if (leasesUnknown !== null) output.note(`leases are unknown: ${leasesUnknown}`);
}

function columns(leasesKnown: boolean): Column<SlotView>[] {
  return [
    { title: 'KEY', value: ({ key }) => key },
    { title: 'SLOT', value: ({ slot, limit }) => (limit === null ? String(slot) : `${slot} of ${limit}`), spare: 6 },
    { title: 'STATE', value: ({ state }) => state },
    { title: 'RUN', value: ({ holder, lease }) => holder?.runId ?? lease?.runId ?? '-', whole: true },
    { title: 'TASK', value: ({ holder }) => holder?.taskName ?? '-', spare: 8 },
    { title: 'WORKER', value: ({ holder, lease }) => holder?.worker ?? lease?.worker ?? '-', spare: 4 },
    { title: 'SINCE', value: ({ holder }) => (holder?.since ? inUtc(holder.since) : '-'), spare: 3 },
    { title: 'LEASE', value: ({ lease }) => leaseOf(lease, leasesKnown), align: 'right', spare: 2 },
    { title: 'FENCE', value: ({ fence }) => (fence === null ? '-' : String(fence)), align: 'right', spare: 1 },
    { title: 'WAITING', value: ({ waiting }) => String(waiting), align: 'right' },
    { title: 'REMARK', value: ({ remark }) => remark ?? '', wraps: true, spare: 7 },
  ];
}

function leaseOf(lease: SlotView['lease'], leasesKnown: boolean): string {
  if (!leasesKnown) return '?';
  return lease ? span(lease.expiresInMs) : 'none';
}

function rateLines(rates: Key['rates']): string[] {
  if (rates.length === 0) return [];
  return ['', 'rates:', ...rates.map((rate) => `  ${rateWords(rate)}`)];
}

function rateWords(rate: Key['rates'][number]): string {
  return `${rateTitle(rate)}: ${rateUseWords(rate)}`;
}

function runLines(title: string, runs: Key['runs']): string[] {
  if (runs.length === 0) return [];
  return [
    '',
    title,
    ...runs.map(
      ({ runId, taskName, scheduledFor, worker }) =>
        `  ${runId} of ${taskName}, scheduled for ${inUtc(scheduledFor)}${worker ? `, on ${worker}` : ''}`,
    ),
  ];
}

async function showHistory(key: string, context: Context): Promise<void> {
  const query = { key, limit: MOST_ENTRIES };
  const { items: entries } = await withFleet(context, (fleet) => fleet.call(listKeyHistory, { query }));
  context.output.table({ key, entries }, entries, [
    { title: 'AT', value: ({ at }) => inUtc(at) },
    { title: 'WHAT', value: ({ action }) => action },
    { title: 'BY', value: ({ principal }) => principalWords(principal) },
    { title: 'SLOT', value: ({ detail }) => String(detail.slot ?? '-') },
    { title: 'RUN', value: ({ detail }) => String(detail.run ?? '-'), whole: true },
    { title: 'FENCE', value: ({ detail }) => String(detail.fence ?? '-'), align: 'right' },
    { title: 'REASON', value: ({ reason }) => reason ?? '', wraps: true },
  ]);
  if (entries.length === 0) context.output.note(`nobody did anything to the key "${key}"`);
}

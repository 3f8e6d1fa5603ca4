import { setTimeout as delay } from 'node:timers/promises';
import type { AnswerOf } from '@escapement/api/calls';
import { getDelivery, listDeliveries, testReceiver } from '@escapement/api/routes';
import { EscapementError, SECOND } from '@escapement/core';
import { INBOX } from '@escapement/core/alerts';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { pagedItems, withFleet } from '../fleet.ts';
import { readCount } from '../options.ts';
import { inUtc } from '../output/wording.ts';

type DeliveryView = AnswerOf<typeof getDelivery>;

interface ListOptions {
  receiver?: string | undefined;
  limit: number;
}

/** `alerts deliveries`, `inbox` and `test`. */
export function addDeliveries(alerts: Command, context: Context): void {
  alerts
    .command('deliveries')
    .description('the messages of the last 30 days: what became of each')
    .option('--receiver <name>', 'only those to a receiver')
    .option('--limit <n>', 'at most so many', readCount('--limit', 1, 10_000), 50)
    .action((options: ListOptions) => deliveries(options, context));
  alerts
    .command('inbox')
    .description('what would have been sent, had anybody been named: the messages to the receiver inbox')
    .option('--limit <n>', 'at most so many', readCount('--limit', 1, 1000), 5)
    .action((options: ListOptions) => inbox(options, context));
  alerts
    .command('test')
    .description('have a scheduler send a test to a receiver, and say what became of it')
    .argument('<receiver>', 'its name in the document')
    .action((name: string) => test(name, context));
}

async function deliveries({ receiver, limit }: ListOptions, context: Context): Promise<void> {
  const { output } = context;
  const found = await latest({ receiver, limit }, context);
  output.table(found, found, [
    { title: 'ID', value: ({ id }) => String(id), align: 'right', whole: true },
    { title: 'AT', value: ({ createdAt }) => inUtc(createdAt) },
    { title: 'RECEIVER', value: ({ receiver: name }) => name },
    { title: 'STATE', value: stateOf },
    { title: 'TRIES', value: ({ tries }) => String(tries), align: 'right' },
    { title: 'WHAT', value: ({ text, error }) => error ?? text?.split('\n')[0] ?? '', wraps: true },
  ]);
  if (found.length === 0) output.note('nothing was to be sent');
}

async function latest({ receiver, limit }: ListOptions, context: Context): Promise<DeliveryView[]> {
  return await withFleet(context, (fleet) =>
    pagedItems(limit, (page) => fleet.call(listDeliveries, { query: { receiver, ...page } })),
  );
}

function stateOf({ state, tries, tryAt }: DeliveryView): string {
  if (state !== 'pending') return state;
  return tries === 0 || tryAt === null ? 'waiting for others' : `tried again at ${inUtc(tryAt)}`;
}

async function inbox({ limit }: ListOptions, context: Context): Promise<void> {
  const { output } = context;
  const found = await latest({ receiver: INBOX, limit }, context);
  const sent = found.filter(({ state }) => state === 'sent').toReversed();
  output.result(sent, () =>
    sent.flatMap(({ id, createdAt, text }) => [`--- ${inUtc(createdAt)} (${id})`, '', ...(text ?? '').split('\n')]),
  );
  if (sent.length === 0) output.note('the inbox is empty: everything that was told went to somebody');
}

const LOOK_MS = 200;
const GIVE_UP_MS = 30 * SECOND;

/** The test of a receiver, when it has ended, or failed for the first time. Throws `no_scheduler`. */
export async function testOf(name: string, context: Context): Promise<DeliveryView> {
  return await withFleet(context, async (fleet) => {
    const { id } = await fleet.call(testReceiver, { params: { name } });
    const untilMs = context.clock.monotonicMs() + GIVE_UP_MS;
    for (;;) {
      const delivery = await fleet.call(getDelivery, { params: { id: String(id) } });
      if (delivery.state !== 'pending' || delivery.error !== null) return delivery;
      if (context.clock.monotonicMs() > untilMs) throw noAnswer();
      await delay(LOOK_MS);
    }
  });
}

async function test(name: string, context: Context): Promise<void> {
  const ended = await testOf(name, context);
  if (ended.error !== null)
    throw new EscapementError('test_failed', `the test did not reach ${name}: ${ended.error}`, {
      fix: 'mend the receiver, or what stands before it, and test it again',
    });
  context.output.result({ receiver: name, sent: true }, () => [`${name} has taken the test: look whether it is there`]);
}

function noAnswer(): EscapementError {
  return new EscapementError('no_scheduler', `no scheduler has sent the test within ${GIVE_UP_MS / SECOND} s`, {
    fix: 'see `escapement doctor`: one has to run',
  });
}

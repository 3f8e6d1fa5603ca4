import { type Clock, type Emit, MINUTE, SECOND, storableText } from '@escapement/core';
import {
  type Alerting,
  type AlertMessage,
  type DefaultReceivers,
  type ReceiverSpec,
  receiverNamed,
} from '@escapement/core/alerts';
import { alertingInForce } from '@escapement/operations';
import { createLoop, type Loop } from '@escapement/service';
import {
  type Database,
  logTail,
  type PendingDelivery,
  recordDelivery,
  splitDelivery,
  takeDeliveries,
} from '@escapement/store';
import { NO_PROBES, type Probes } from '../probes.ts';
import { messageOf } from './message-of.ts';
import type { SendResult } from './receivers/send-result.ts';

const WAIT_MS = 1 * SECOND;
const BATCH = 20;
/** A message stays with the scheduler that took it for so long; should that one die, it is sent by another. */
const CLAIM_MS = 2 * MINUTE;
/** Tries over about a day: after 10 s, 20 s, 40 s ... at most an hour apart. */
const MAX_TRIES = 30;
const FIRST_RETRY_MS = 10 * SECOND;
const LAST_RETRY_MS = 60 * MINUTE;
const LOG_TAIL_LENGTH = 4000;
/** Of more alerts a message has their number. */
const MOST_ALERTS = 250;
/** Those who are told of each alert by itself are told of so many at once: PagerDuty by a request each, and it takes a few in a second. */
const AT_ONCE: Partial<Record<ReceiverSpec['type'], number>> = { pagerduty: 20, alertmanager: MOST_ALERTS };

export interface DelivererOptions {
  db: Database;
  /** One try. Never rejects. */
  send: (message: AlertMessage, receiver: ReceiverSpec) => Promise<SendResult>;
  /** A message as plain text, for those who look at what was sent. */
  render: (message: AlertMessage) => string;
  /** Where a trace can be seen, with `{trace_id}`. Default: nobody has said. */
  traceUrl?: string | undefined;
  /** Where the dashboard is. Default: nobody has said. */
  apiUrl?: string | undefined;
  /** Whom the settings of the fleet name. */
  defaults: DefaultReceivers;
  clock: Clock;
  probes?: Pick<Probes, 'see'>;
  emit: Emit;
  onError: (error: unknown) => void;
}

/** Sends the messages that are due: each once as far as can be known, again where it failed. */
export function createDeliverer(options: DelivererOptions): Loop {
  const { db, send, render, clock, emit, probes = NO_PROBES } = options;

  async function runOnce(): Promise<number> {
    if (!(await probes.see('deliveries'))) return WAIT_MS;
    const taken = await takeDeliveries(db, { limit: BATCH, claimMs: CLAIM_MS, alerts: MOST_ALERTS });
    if (taken.length === 0) return WAIT_MS;
    // As it is now: what was saved a moment ago may be what is told by it, and who tests a receiver has just saved it.
    const { definition: alerting } = await alertingInForce(db);
    await Promise.all(taken.map((delivery) => deliver(delivery, alerting)));
    return taken.length === BATCH ? 0 : WAIT_MS;
  }

  async function deliver(taken: PendingDelivery, alerting: Alerting): Promise<void> {
    const receiver = receiverNamed(alerting, taken.receiver, [...taken.webhooks, ...options.defaults.webhook]);
    const delivery = await atOnce(taken, receiver);
    const message = messageOf(db.namespace, delivery, alerting, {
      tails: await tailsOf(delivery),
      traceUrl: options.traceUrl,
      apiUrl: options.apiUrl,
    });
    const result: SendResult = receiver
      ? await send(message, receiver)
      : { status: 'failed', permanent: true, error: `there is no receiver ${delivery.receiver} any more` };
    const failed = result.status === 'failed';
    // Who tests a receiver waits for the answer.
    const isTest = delivery.alerts.length === 0;
    if (isTest && receiver && !failed) await endTest(message, receiver);
    const givenUp = failed && (result.permanent || isTest || delivery.tries >= MAX_TRIES);
    // A mail server's own words may be in it.
    const error = failed ? storableText(result.error) : null;
    await recordDelivery(db, {
      id: delivery.id,
      state: givenUp ? 'dropped' : failed ? 'pending' : 'sent',
      retryInMs: failed ? (result.retryAfterMs ?? retryWait(delivery.tries)) : 0,
      error,
      text: render(message),
    });
    const about = {
      delivery: String(delivery.id),
      receiver: delivery.receiver,
      alerts: delivery.alerts.length + delivery.more.firing + delivery.more.resolved,
    };
    if (error === null) emit({ event: 'delivery_sent', ...about });
    else emit({ event: 'delivery_failed', ...about, error, givenUp });
  }

  /** As much of a message as its receiver is told at once; the rest is a message of its own. */
  async function atOnce(delivery: PendingDelivery, receiver: ReceiverSpec | undefined): Promise<PendingDelivery> {
    const { id, alerts, more } = delivery;
    const most = receiver && AT_ONCE[receiver.type];
    if (most === undefined || alerts.length + more.firing + more.resolved <= most) return delivery;
    const first = alerts.slice(0, most);
    await splitDelivery(
      db,
      id,
      first.map((alert) => alert.id),
    );
    return { ...delivery, alerts: first, more: { firing: 0, resolved: 0 } };
  }

  /** Where a test opens an incident, it is over at once. */
  async function endTest(message: AlertMessage, receiver: ReceiverSpec): Promise<void> {
    if (receiver.type !== 'pagerduty' && receiver.type !== 'alertmanager') return;
    const resolvedAt = clock.now();
    await send(
      { ...message, notes: message.notes.map((note) => ({ ...note, state: 'resolved', resolvedAt })) },
      receiver,
    );
  }

  /** Of each alert that fires, the end of the log of its last run. */
  async function tailsOf({ alerts }: PendingDelivery): Promise<ReadonlyMap<string, string>> {
    const tails = new Map<string, string>();
    for (const { id, runs, state } of alerts.slice(0, BATCH)) {
      const [last] = runs;
      if (last && state === 'firing') tails.set(id, await logTail(db, last.id, LOG_TAIL_LENGTH));
    }
    return tails;
  }

  return createLoop({ name: 'deliverer', runOnce, onError: options.onError });
}

function retryWait(tries: number): number {
  return Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(tries - 1, 20));
}

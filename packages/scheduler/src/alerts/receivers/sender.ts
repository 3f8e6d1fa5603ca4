import { EscapementError, type Json } from '@escapement/core';
import type { AlertMessage, AlertNote, ReceiverSpec } from '@escapement/core/alerts';
import type { EgressPolicy, Resolver } from '@escapement/core/egress';
import { maskCommand, maskText } from '@escapement/core/mask';
import type { Logger } from '@escapement/service';
import { createMailSender } from './email.ts';
import { messageJson } from './message-json.ts';
import type { Reveal } from './requests.ts';
import { sendRequests } from './send-requests.ts';
import type { SendResult } from './send-result.ts';
import { countsOf, messageText } from './text.ts';

export interface MessageSenderOptions {
  /** The mail server; without it (or without `from`) mails fail for good and say so. */
  smtpUrl?: string | undefined;
  /** Sender of mails. */
  from?: string | undefined;
  /** Where requests may go. */
  egress: EgressPolicy;
  /** Each webhook is signed with each of these (`whsec_...`). Default: none is signed. */
  webhookSecrets?: readonly string[] | undefined;
  /** What a receiver hides under a name; undefined: there is nothing of that name. */
  secretOf: (name: string) => string | undefined;
  /** Has a task run with a payload. */
  triggerTask: (task: string, payload: Json) => Promise<void>;
  /** Finds the addresses of names. Default: the system's. */
  resolve?: Resolver | undefined;
  /** Gets each try at level `debug`; what became of a message is for the outbox to say. */
  log: Logger;
}

export interface MessageSender {
  /** One try. Never rejects; whether to try again, and when, is for the outbox to decide. */
  send(message: AlertMessage, receiver: ReceiverSpec): Promise<SendResult>;
  /** What it says, as plain text. */
  render(message: AlertMessage): string;
}

export function createMessageSender(options: MessageSenderOptions): MessageSender {
  const { smtpUrl, from, egress, resolve, webhookSecrets: secrets = [], log } = options;
  const mail = smtpUrl && from ? createMailSender(smtpUrl, from) : noMail;
  const reveal = revealBy(options.secretOf);

  async function sendTo(message: AlertMessage, receiver: ReceiverSpec): Promise<SendResult> {
    switch (receiver.type) {
      case 'email':
        return await mail(message, receiver.to);
      case 'inbox':
        return { status: 'sent', detail: 'kept in the inbox' };
      case 'task':
        return await triggerReceiver(message, receiver.task);
      default:
        return await sendRequests(message, receiver, { egress, resolve, secrets, reveal });
    }
  }

  async function triggerReceiver(message: AlertMessage, task: string): Promise<SendResult> {
    // What goes wrong with it would be told to it for ever.
    const notes = message.notes.filter(({ labels }) => labels.task !== task);
    if (notes.length === 0) return { status: 'failed', permanent: true, error: `${task} is not told of itself` };
    try {
      await options.triggerTask(task, payloadOf({ ...message, notes }));
      return { status: 'sent', detail: `task ${task} was triggered` };
    } catch (error) {
      const permanent = error instanceof EscapementError;
      return { status: 'failed', permanent, error: `task ${task} was not triggered: ${textOf(error)}` };
    }
  }

  return {
    async send(given, receiver) {
      const message = masked(given);
      const result = await sendTo(message, receiver).catch(
        (error): SendResult => ({ status: 'failed', permanent: false, error: textOf(error) }),
      );
      log.debug({ who: 'receiver', message: message.id, type: receiver.type, ...result }, 'message tried');
      return result;
    },
    render: (message) => messageText(masked(message)),
  };
}

/** A payload is at most 64 KiB: logs go first, then the last alerts. */
function payloadOf(message: AlertMessage): Json {
  const short = { ...message, notes: message.notes.map(({ logTail: _, ...note }) => note) };
  let json = messageJson(message);
  for (
    let kept = message.notes.length;
    Buffer.byteLength(JSON.stringify(json)) > MAX_PAYLOAD && kept > 0;
    kept = Math.floor(kept * 0.7)
  )
    json = messageJson(withFirst(short, kept));
  return json as Json;
}

/** The first so many of its notes; of the others their number. */
function withFirst(message: AlertMessage, kept: number): AlertMessage {
  const notes = message.notes.slice(0, kept);
  const [all, firing] = [countsOf(message), notes.filter(({ state }) => state === 'firing').length];
  return { ...message, notes, more: { firing: all.firing - firing, resolved: all.resolved - (kept - firing) } };
}

const MAX_PAYLOAD = 60 * 1024;

/** A name that the environment of the schedulers does not have is mended there; until then nothing is sent. */
function revealBy(secretOf: MessageSenderOptions['secretOf']): Reveal {
  return (value) => {
    if (typeof value === 'string') return value;
    const found = secretOf(value.secret);
    if (found !== undefined && found !== '') return found;
    throw new EscapementError('secret_missing', `this scheduler has no ESCAPEMENT_RECEIVER_${value.secret}`, {
      fix: 'set it for all schedulers',
    });
  };
}

/** It leaves the fleet, and quotes what nobody has looked at: a log has lines such as `password=x`, too. */
function masked(message: AlertMessage): AlertMessage {
  return { ...message, notes: message.notes.map(maskedNote) };
}

function maskedNote(note: AlertNote): AlertNote {
  const { summary, why, runs, logTail } = note;
  return {
    ...note,
    summary: maskCommand(summary),
    why: why.map(maskCommand),
    runs: runs.map(({ reason, ...run }) => ({
      ...run,
      ...(reason === undefined ? {} : { reason: maskCommand(reason) }),
    })),
    ...(logTail === undefined ? {} : { logTail: maskCommand(logTail) }),
  };
}

function textOf(error: unknown): string {
  return maskText(error instanceof Error ? error.message : String(error));
}

async function noMail(): Promise<SendResult> {
  const error = 'mail not sent: no mail server is configured; set ESCAPEMENT_SMTP_URL and ESCAPEMENT_MAIL_FROM';
  return { status: 'failed', permanent: true, error };
}

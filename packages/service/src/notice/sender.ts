import { type EgressPolicy, maskText, type Resolver, type RunError } from '@escapement/core';
import type { Logger } from '../logger.ts';
import { createMailSender } from './email.ts';
import type { Notice, NoticeChannel, NoticeResult } from './notice.ts';
import { sendWebhook } from './webhook.ts';

export interface NoticeSenderOptions {
  /** The mail server; without it (or without `from`) notices by mail fail for good and say so. */
  smtpUrl?: string | undefined;
  /** Sender of mails. */
  from?: string | undefined;
  /** Where webhooks may go. */
  egress: EgressPolicy;
  /** Each webhook is signed with each of these (`whsec_...`). Default: none is signed. */
  webhookSecrets?: readonly string[] | undefined;
  /** Finds the addresses of names. Default: the system's. */
  resolve?: Resolver | undefined;
  /** Gets each try at level `debug`; what became of a notice is for the outbox to say. */
  log: Logger;
}

export interface NoticeSender {
  /** One try. Never rejects; whether to try again, and when, is for the outbox to decide. */
  send(notice: Notice, channel: NoticeChannel): Promise<NoticeResult>;
}

export function createNoticeSender(options: NoticeSenderOptions): NoticeSender {
  const { smtpUrl, from, egress, resolve, webhookSecrets: secrets = [], log } = options;
  const mail = smtpUrl && from ? createMailSender(smtpUrl, from) : noMail;
  return {
    async send(given, channel) {
      const notice = masked(given);
      const result = await (channel.kind === 'email'
        ? mail(notice, channel.to)
        : sendWebhook(notice, channel.url, { egress, resolve, secrets }));
      log.debug(
        {
          who: 'notice',
          noticeId: notice.id,
          run: notice.runId,
          task: notice.taskName,
          channel: channel.kind,
          ...result,
        },
        'notice tried',
      );
      return result;
    },
  };
}

/** It leaves the fleet, and quotes what nobody has looked at. */
function masked(notice: Notice): Notice {
  const { reason, error, logTail } = notice;
  return {
    ...notice,
    ...(reason === undefined ? {} : { reason: maskText(reason) }),
    ...(error === undefined ? {} : { error: maskError(error) }),
    ...(logTail === undefined ? {} : { logTail: maskText(logTail) }),
  };
}

function maskError({ name, message, stack }: RunError): RunError {
  return { name, message: maskText(message), ...(stack === undefined ? {} : { stack: maskText(stack) }) };
}

async function noMail(): Promise<NoticeResult> {
  const error = 'mail not sent: no mail server is configured; set ESCAPEMENT_SMTP_URL and ESCAPEMENT_MAIL_FROM';
  return { status: 'failed', permanent: true, error };
}

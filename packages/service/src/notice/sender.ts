import type { Logger } from '../logger.ts';
import { createMailSender } from './email.ts';
import type { Notice, NoticeChannel, NoticeResult } from './notice.ts';
import { sendWebhook } from './webhook.ts';

export interface NoticeSenderOptions {
  /** The mail server; without it (or without `from`) notices by mail fail for good and say so. */
  smtpUrl?: string | undefined;
  /** Sender of mails. */
  from?: string | undefined;
  fetch?: typeof fetch;
  /** Gets each try at level `debug`; what became of a notice is for the outbox to say. */
  log: Logger;
}

export interface NoticeSender {
  /** One try. Never rejects; whether to try again, and when, is for the outbox to decide. */
  send(notice: Notice, channel: NoticeChannel): Promise<NoticeResult>;
}

export function createNoticeSender({ smtpUrl, from, fetch: fetch_ = fetch, log }: NoticeSenderOptions): NoticeSender {
  const mail = smtpUrl && from ? createMailSender(smtpUrl, from) : noMail;
  return {
    async send(notice, channel) {
      const result = await (channel.kind === 'email'
        ? mail(notice, channel.to)
        : sendWebhook(notice, channel.url, fetch_));
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

async function noMail(): Promise<NoticeResult> {
  const error = 'mail not sent: no mail server is configured; set ESCAPEMENT_SMTP_URL and ESCAPEMENT_MAIL_FROM';
  return { status: 'failed', permanent: true, error };
}

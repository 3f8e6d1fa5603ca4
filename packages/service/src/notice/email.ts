import { createHash } from 'node:crypto';
import { maskText, SECOND } from '@escapement/core';
import type { SendMailOptions, Transporter } from 'nodemailer';
import type { Notice, NoticeResult } from './notice.ts';
import { noticeSubject, noticeText } from './render.ts';

const TIMEOUT_MS = 20 * SECOND;

/** Sends a notice as a mail, each over a connection of its own: notices are rare, and a kept one would be stale. */
export function createMailSender(smtpUrl: string, from: string): (notice: Notice, to: string) => Promise<NoticeResult> {
  const opened = openTransport(smtpUrl);
  // Who sends hears of it.
  opened.catch(() => undefined);
  return async (notice, to) => {
    try {
      const transport = await opened;
      const sent = await transport.sendMail(mailOf(notice, from, to));
      return { status: 'sent', detail: sent.response };
    } catch (error) {
      return mailFailure(error);
    }
  };
}

/** The mailer takes memory, and only a program with a mail server needs it. */
async function openTransport(smtpUrl: string): Promise<Transporter<{ response: string }>> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url: smtpUrl,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    // A notice quotes text from outside; none of it may make the mailer read a file or call a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function mailOf(notice: Notice, from: string, to: string): SendMailOptions {
  return {
    from,
    to,
    subject: noticeSubject(notice),
    text: noticeText(notice),
    messageId: messageId(notice, from),
    headers: {
      // RFC 3834: so that no out-of-office reply comes back.
      'Auto-Submitted': 'auto-generated',
      'X-Escapement-Task': encodeURI(notice.taskName),
      'X-Escapement-Run': notice.runId,
    },
  };
}

/** The same for each try, so that mail programs show a mail only once though its receipt was lost and it was sent again. */
function messageId(notice: Notice, from: string): string {
  const domain = /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return `<${createHash('sha256').update(`${notice.namespace}/${notice.id}`).digest('hex').slice(0, 32)}@${domain}>`;
}

/**
 * RFC 5321: a reply 5yz is final, 4yz is not; everything below SMTP passes. A refused log-in is final for the
 * server but is mended by a new password, so that the notice is worth another try.
 */
function mailFailure(error: unknown): NoticeResult {
  const message = error instanceof Error ? error.message : String(error);
  const { responseCode = 0, code = '' } = isMailError(error) ? error : {};
  const permanent = responseCode >= 500 && code !== 'EAUTH';
  return { status: 'failed', permanent, error: maskText(`mail not sent: ${message}`) };
}

function isMailError(error: unknown): error is Error & { responseCode?: number; code?: string } {
  return error instanceof Error;
}

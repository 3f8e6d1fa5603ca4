import { createHash } from 'node:crypto';
import { SECOND } from '@escapement/core';
import type { AlertMessage } from '@escapement/core/alerts';
import { maskText } from '@escapement/core/mask';
import type { SendMailOptions, Transporter } from 'nodemailer';
import type { SendResult } from './send-result.ts';
import { messageSubject, messageText } from './text.ts';

const TIMEOUT_MS = 20 * SECOND;

/** Sends a message as a mail, each over a connection of its own: they are rare, and a kept one would be stale. */
export function createMailSender(
  smtpUrl: string,
  from: string,
): (message: AlertMessage, to: readonly string[]) => Promise<SendResult> {
  const opened = openTransport(smtpUrl);
  // Who sends hears of it.
  opened.catch(() => undefined);
  return async (message, to) => {
    try {
      const transport = await opened;
      const sent = await transport.sendMail(mailOf(message, from, to));
      return sent.rejected.length === 0 ? { status: 'sent', detail: sent.response } : notToAll(sent);
    } catch (error) {
      return mailFailure(error);
    }
  };
}

interface Sent {
  response: string;
  /** Addresses that the server did not take, where it took others. */
  rejected: readonly string[];
  rejectedErrors?: readonly Error[] | undefined;
}

/** Another try would send it to the others once more. */
function notToAll({ rejected, rejectedErrors = [] }: Sent): SendResult {
  const why = rejectedErrors.map(({ message }) => message).join('; ');
  return { status: 'failed', permanent: true, error: maskText(`sent, but not to ${rejected.join(', ')}: ${why}`) };
}

/** The mailer takes memory, and only a program with a mail server needs it. */
async function openTransport(smtpUrl: string): Promise<Transporter<Sent>> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url: smtpUrl,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    // A message quotes text from outside; none of it may make the mailer read a file or call a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function mailOf(message: AlertMessage, from: string, to: readonly string[]): SendMailOptions {
  const { notes } = message;
  const [first] = notes;
  const thread = first && messageId(`alert/${first.id}`, from);
  return {
    from,
    to: [...to],
    subject: messageSubject(message),
    text: messageText(message),
    messageId: messageId(message.id, from),
    // RFC 5322, 3.6.4: mail programs show what an alert was told by, and its end, as one thread.
    ...(thread ? { references: thread, inReplyTo: thread } : {}),
    headers: {
      // RFC 3834: so that no out-of-office reply comes back.
      'Auto-Submitted': 'auto-generated',
      ...(first ? { 'X-Escapement-Rule': first.rule, 'X-Escapement-State': first.state } : {}),
      ...(first?.labels.task === undefined ? {} : { 'X-Escapement-Task': encodeURI(first.labels.task) }),
    },
  };
}

/** The same for each try, so that mail programs show a mail only once though its receipt was lost and it was sent again. */
function messageId(id: string, from: string): string {
  const domain = /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return `<${createHash('sha256').update(id).digest('hex').slice(0, 32)}@${domain}>`;
}

/**
 * RFC 5321: a reply 5yz is final, 4yz is not; everything below SMTP passes. A refused log-in is final for the
 * server but is mended by a new password, so that the message is worth another try.
 */
function mailFailure(error: unknown): SendResult {
  const message = error instanceof Error ? error.message : String(error);
  const { responseCode = 0, code = '' } = isMailError(error) ? error : {};
  const permanent = responseCode >= 500 && code !== 'EAUTH';
  return { status: 'failed', permanent, error: maskText(`mail not sent: ${message}`) };
}

function isMailError(error: unknown): error is Error & { responseCode?: number; code?: string } {
  return error instanceof Error;
}

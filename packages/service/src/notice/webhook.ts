import {
  EgressDenied,
  type EgressPolicy,
  maskUrlPath,
  type Resolver,
  retryAfter,
  SECOND,
  systemClock,
} from '@escapement/core';
import type { Notice, NoticeResult } from './notice.ts';
import { type PostAnswer, post } from './post.ts';
import { noticeJson } from './render.ts';
import { signedHeaders } from './signature.ts';

const TIMEOUT_MS = 10 * SECOND;

/** Statuses below 500 that say "later", not "never". */
const LATER = new Set([408, 425, 429]);

export interface WebhookOptions {
  /** Where it may go. */
  egress: EgressPolicy;
  /** Shared with receivers; see `signedHeaders`. */
  secrets: readonly string[];
  /** Finds the addresses of names. Default: the system's. */
  resolve?: Resolver | undefined;
}

/** POSTs a notice as JSON. Redirects are not followed: the answer must come from where the user pointed. */
export async function sendWebhook(notice: Notice, url: string, options: WebhookOptions): Promise<NoticeResult> {
  if (!URL.canParse(url)) return { status: 'failed', permanent: true, error: 'webhook not called: its URL is not one' };
  const shown = maskUrlPath(url);
  try {
    const body = JSON.stringify(noticeJson(notice));
    const answer = await post(
      { url: new URL(url), headers: headersOf(notice, body, options.secrets), body },
      { ...options, timeoutMs: TIMEOUT_MS },
    );
    const isFine = answer.status >= 200 && answer.status <= 299;
    return isFine ? { status: 'sent', detail: `${answer.status} from ${shown}` } : refusal(answer, shown);
  } catch (error) {
    if (error instanceof EgressDenied) return notOpen(error);
    return { status: 'failed', permanent: false, error: `no answer from ${shown}: ${causeOf(error)}` };
  }
}

function headersOf({ id }: Notice, body: string, secrets: readonly string[]): Record<string, string> {
  const timestamp = Math.floor(systemClock.now().getTime() / SECOND);
  return {
    'content-type': 'application/json',
    'user-agent': 'Escapement',
    'idempotency-key': id,
    ...signedHeaders({ id, timestamp, body }, secrets),
  };
}

/** The same from every scheduler: another try would be refused too. */
function notOpen({ message, fix }: EgressDenied): NoticeResult {
  return { status: 'failed', permanent: true, error: `webhook not called: ${message}; ${fix}` };
}

function refusal({ status, headers }: PostAnswer, shown: string): NoticeResult {
  const permanent = status < 500 && !LATER.has(status);
  const now = systemClock.now();
  const at = permanent ? undefined : retryAfter(headers['retry-after'], now);
  return {
    status: 'failed',
    permanent,
    error: `${shown} answered with status ${status}`,
    ...(at && { retryAfterMs: at.getTime() - now.getTime() }),
  };
}

/** With several addresses tried, the message is empty and the first one's error stands for all. */
function causeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return causeOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

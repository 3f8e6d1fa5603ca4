import { EscapementError, retryAfter, SECOND, systemClock } from '@escapement/core';
import type { AlertMessage } from '@escapement/core/alerts';
import { EgressDenied, type EgressPolicy, type Resolver } from '@escapement/core/egress';
import { maskUrlPath } from '@escapement/core/mask';
import { type PostAnswer, post } from './post.ts';
import { type HttpReceiver, type ReceiverRequest, type Reveal, requestsFor } from './requests.ts';
import type { SendResult } from './send-result.ts';
import { signedHeaders } from './signature.ts';

const TIMEOUT_MS = 10 * SECOND;

/** Statuses below 500 that say "later", not "never". */
const LATER = new Set([408, 425, 429]);

export interface RequestOptions {
  /** Where it may go. */
  egress: EgressPolicy;
  /** Webhooks are signed with each of these; see `signedHeaders`. */
  secrets: readonly string[];
  reveal: Reveal;
  /** Finds the addresses of names. Default: the system's. */
  resolve?: Resolver | undefined;
}

/**
 * Sends the requests of a message, one after the other, until one fails that may arrive later: all are sent again then, and providers know those
 * that they have. One that is refused for good keeps no other from being sent; the message counts as failed. Redirects are not followed.
 */
export async function sendRequests(
  message: AlertMessage,
  receiver: HttpReceiver,
  options: RequestOptions,
): Promise<SendResult> {
  const requests = readRequests(message, receiver, options.reveal);
  if ('status' in requests) return requests;
  let last: SendResult = { status: 'sent', detail: 'there was nothing to send' };
  const refused: string[] = [];
  for (const request of requests) {
    const result = await sendRequest(message, request, { ...options, signs: receiver.type === 'webhook' });
    if (result.status === 'sent') last = result;
    else if (result.permanent) refused.push(result.error);
    else return result;
  }
  return refused.length === 0 ? last : refusedWords(refused, requests.length);
}

function refusedWords(refused: readonly string[], count: number): SendResult {
  const which =
    refused.length === count ? '' : `${refused.length} of ${count} events were refused, the others have arrived: `;
  return { status: 'failed', permanent: true, error: which + [...new Set(refused)].join('; ') };
}

function readRequests(message: AlertMessage, receiver: HttpReceiver, reveal: Reveal): ReceiverRequest[] | SendResult {
  try {
    return requestsFor(message, receiver, reveal, systemClock.now());
  } catch (error) {
    const why = error instanceof EscapementError ? `${error.message}; ${error.fix}` : `its URL is not one`;
    return { status: 'failed', permanent: true, error: `not sent: ${why}` };
  }
}

async function sendRequest(
  { id }: AlertMessage,
  { url, headers, body }: ReceiverRequest,
  options: RequestOptions & { signs: boolean },
): Promise<SendResult> {
  if (!URL.canParse(url)) return { status: 'failed', permanent: true, error: 'not sent: its URL is not one' };
  const shown = maskUrlPath(url);
  const text = JSON.stringify(body);
  const own = options.signs ? ownHeaders(id, text, options.secrets) : {};
  try {
    const answer = await post(
      {
        url: new URL(url),
        headers: { 'content-type': 'application/json', 'user-agent': 'Escapement', ...own, ...headers },
        body: text,
      },
      { ...options, timeoutMs: TIMEOUT_MS },
    );
    const isFine = answer.status >= 200 && answer.status <= 299;
    return isFine ? { status: 'sent', detail: `${answer.status} from ${shown}` } : refusal(answer, shown);
  } catch (error) {
    if (error instanceof EgressDenied) return notOpen(error);
    return { status: 'failed', permanent: false, error: `no answer from ${shown}: ${causeOf(error)}` };
  }
}

function ownHeaders(id: string, body: string, secrets: readonly string[]): Record<string, string> {
  const timestamp = Math.floor(systemClock.now().getTime() / SECOND);
  return { 'idempotency-key': id, ...signedHeaders({ id, timestamp, body }, secrets) };
}

/** The same from every scheduler: another try would be refused too. */
function notOpen({ message, fix }: EgressDenied): SendResult {
  return { status: 'failed', permanent: true, error: `not sent: ${message}; ${fix}` };
}

function refusal({ status, headers }: PostAnswer, shown: string): SendResult {
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

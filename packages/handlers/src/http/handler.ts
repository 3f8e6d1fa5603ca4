import type { Clock, Handler, HandlerContext, HandlerOutcome, HttpHandler } from '@escapement/core';
import { storableText } from '@escapement/core';
import { abortWords, notBegun } from '../abort.ts';
import { refusalOf } from '../refusal.ts';
import type { SecretLookup } from '../secrets.ts';
import { AnswerLog } from './answer-log.ts';
import { type Answer, exchange, type Phase } from './exchange.ts';
import { expectedStatus } from './expected-status.ts';
import { describeFailure } from './failure.ts';
import { type OutgoingRequest, prepareRequest, shownUrl } from './request.ts';
import { retryAfter } from './retry-after.ts';

const DEFAULT_RESPONSE_BYTES = 64 * 1024;

export interface HttpOptions {
  secrets: SecretLookup;
  clock: Clock;
}

/** Sends a run as an HTTP request; its status decides. */
export function createHttpHandler(options: HttpOptions): Handler<HttpHandler> {
  return async (context) => {
    if (context.signal.aborted) return notBegun(context.signal);
    let request: OutgoingRequest;
    try {
      request = prepareRequest(context, options.secrets);
    } catch (error) {
      return refusalOf(error);
    }
    return send(request, context, options.clock);
  };
}

async function send(
  request: OutgoingRequest,
  context: HandlerContext<HttpHandler>,
  clock: Clock,
): Promise<HandlerOutcome> {
  const { spec, signal } = context;
  const maxBodyBytes = spec.maxResponseBytes ?? DEFAULT_RESPONSE_BYTES;
  const log = new AnswerLog(context.log, { secrets: request.secrets, maxBodyBytes });
  const startedMs = clock.monotonicMs();
  let phase: Phase = 'connecting';
  log.line(`${request.method} ${shownUrl(request.url)}`);
  try {
    const answer = await exchange(request, {
      signal,
      onPhase: (next) => {
        phase = next;
      },
      onAnswer: (head) => log.head(head, clock.monotonicMs() - startedMs),
      onBody: (bytes) => log.body(bytes),
    });
    log.end();
    return judge(answer, { spec, request, excerpt: log.excerpt(), now: clock.now() });
  } catch (thrown) {
    log.end();
    const error = signal.aborted
      ? { name: 'Aborted', message: `stopped because ${abortWords(signal)}, while ${phase}` }
      : describeFailure(thrown, request.url);
    log.note(error.message);
    // Once the request may have arrived, only an answer tells what became of it.
    return { status: 'failed', error, work: phase === 'connecting' ? 'not_begun' : 'cut_off' };
  }
}

interface Judged {
  spec: HttpHandler;
  request: OutgoingRequest;
  /** The start of the body. */
  excerpt: string;
  now: Date;
}

function judge(answer: Answer, { spec, request, excerpt, now }: Judged): HandlerOutcome {
  const expected = expectedStatus(spec.expectStatus);
  const { status, headers } = answer;
  if (expected.includes(status)) return { status: 'succeeded', output: { status } };
  const what = `${request.method} ${shownUrl(request.url)} answered ${`${status} ${answer.statusText}`.trim()}`;
  const error = {
    name: 'UnexpectedStatus',
    message: storableText(`${what}, expected ${expected.text}${redirectHint(answer)}`),
    fields: { status, ...(excerpt === '' ? {} : { body: storableText(excerpt) }) },
  };
  const at = status === 429 || status === 503 ? retryAfter(headers['retry-after'], now) : undefined;
  return at ? { status: 'failed', error, retry: { at } } : { status: 'failed', error };
}

function redirectHint({ status, headers }: Answer): string {
  if (status < 300 || status > 399 || headers.location === undefined) return '';
  return `; it points to ${headers.location.slice(0, 1000)}, and redirects are not followed: use that address if it is right`;
}

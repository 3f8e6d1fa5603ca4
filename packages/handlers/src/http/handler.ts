import { lookup as lookUp } from 'node:dns';
import {
  type Clock,
  type Handler,
  type HandlerContext,
  type HandlerOutcome,
  type HttpHandler,
  retryAfter,
  storableText,
} from '@escapement/core';
import { EgressDenied, type EgressPolicy, guardedLookup, type Resolver } from '@escapement/core/egress';
import { maskText, maskUrl } from '@escapement/core/mask';
import { abortWords, notBegun } from '../abort.ts';
import { maskShown } from '../output/mask-outcome.ts';
import { refusal, refusalOf } from '../refusal.ts';
import type { SecretLookup } from '../secrets.ts';
import { AnswerBody } from './answer-body.ts';
import { AnswerLog } from './answer-log.ts';
import { type Answer, exchange, type Phase } from './exchange.ts';
import { describeFailure } from './failure.ts';
import { type OutgoingRequest, prepareRequest } from './request.ts';
import { expectedStatus, retriedStatus } from './status-ranges.ts';

const DEFAULT_RESPONSE_BYTES = 64 * 1024;
/** No more of an answer is read than this, whatever of it is shown: its status has told what became of the run. */
const MAX_READ_BYTES = 10 * 1024 * 1024;

export interface HttpOptions {
  secrets: SecretLookup;
  clock: Clock;
  /** Where requests may go. */
  egress: EgressPolicy;
  /** Finds the addresses of names. Default: the system's. */
  resolve?: Resolver;
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
    // Also what the definition itself has in it; a state is the task's own, and may be such a value.
    return maskShown(await send(request, context, options), request.secrets);
  };
}

async function send(
  request: OutgoingRequest,
  context: HandlerContext<HttpHandler>,
  { clock, egress, resolve = lookUp }: HttpOptions,
): Promise<HandlerOutcome> {
  const { spec, signal } = context;
  const maxBodyBytes = spec.maxResponseBytes ?? DEFAULT_RESPONSE_BYTES;
  const log = new AnswerLog(context.log, { secrets: request.secrets, maxBodyBytes });
  const startedMs = clock.monotonicMs();
  const body = new AnswerBody();
  let phase: Phase = 'connecting';
  log.line(`${request.method} ${maskUrl(request.url.href)}`);
  try {
    const answer = await exchange(request, {
      lookup: guardedLookup(egress, request.url, resolve),
      signal,
      maxBodyBytes: MAX_READ_BYTES,
      onPhase: (next) => {
        phase = next;
      },
      onAnswer: (head) => log.head(head, clock.monotonicMs() - startedMs),
      onBody: (bytes) => {
        log.body(bytes);
        if (spec.output !== undefined) body.keep(bytes);
      },
    });
    log.end();
    if (answer.isCut) log.note(`the answer is cut off here: no more than ${MAX_READ_BYTES} bytes are read`);
    if (expectedStatus(spec.expectStatus).includes(answer.status)) return body.outcomeOf(answer, context, log);
    return judge(answer, { spec, request, excerpt: log.excerpt(), now: clock.now() });
  } catch (thrown) {
    log.end();
    if (thrown instanceof EgressDenied) return notOpen(thrown, log);
    const error = signal.aborted
      ? { name: 'Aborted', message: `stopped because ${abortWords(signal)}, while ${phase}` }
      : describeFailure(thrown, request.url);
    log.note(error.message);
    // Once the request may have arrived, only an answer tells what became of it.
    return { status: 'failed', error, work: phase === 'connecting' ? 'not_begun' : 'cut_off' };
  }
}

/** The same on every worker, now and later: another try would be refused too, and nothing was sent. */
function notOpen(denied: EgressDenied, log: AnswerLog): HandlerOutcome {
  log.note(denied.message);
  return { ...refusal(denied), work: 'not_begun' };
}

interface Judged {
  spec: HttpHandler;
  request: OutgoingRequest;
  /** The start of the body. */
  excerpt: string;
  now: Date;
}

/** A status that is not expected. */
function judge(answer: Answer, { spec, request, excerpt, now }: Judged): HandlerOutcome {
  const expected = expectedStatus(spec.expectStatus);
  const { status, headers } = answer;
  const what = `${request.method} ${maskUrl(request.url.href)} answered ${`${status} ${answer.statusText}`.trim()}`;
  const error = {
    name: 'UnexpectedStatus',
    message: storableText(`${what}, expected ${expected.text}${redirectHint(answer)}`),
    fields: { status, ...(excerpt === '' ? {} : { body: storableText(excerpt) }) },
  };
  const at = status === 429 || status === 503 ? retryAfter(headers['retry-after'], now) : undefined;
  if (at) return { status: 'failed', error, retry: { at } };
  // Who answers so will answer so again.
  return { status: 'failed', error, ...(retriedStatus(spec.retryStatus).includes(status) ? {} : { retry: 'never' }) };
}

function redirectHint({ status, headers }: Answer): string {
  if (status < 300 || status > 399 || headers.location === undefined) return '';
  return `; it points to ${maskText(headers.location.slice(0, 1000))}, and redirects are not followed: use that address if it is right`;
}

import {
  type AnsweredCode,
  ERRORS,
  type ErrorCode,
  EscapementError,
  type ReportedCode,
  SECOND,
} from '@escapement/core';
import { TooOften } from '@escapement/operations';
import { isPassingError } from '@escapement/store';
import { z } from 'zod';
import { outdated } from '../schemas/task.ts';
import { statusOf } from './status-of.ts';

/** What is wrong with one value of a request. */
export const wrongValue = z.object({
  in: z.enum(['path', 'query', 'body', 'header']).meta({ description: 'Where the value stands.' }),
  path: z.string().meta({ description: 'Which value, as `schedule.timeZone`; empty: all of it.' }),
  message: z.string().meta({ description: 'What was expected, and what was given.' }),
  expected: z.string().optional().meta({ description: 'What may stand there, in words.' }),
  got: z.string().optional().meta({ description: 'What was given, as JSON, shortened. Left out where nothing was.' }),
  nearest: z.string().optional().meta({ description: 'The name that was probably meant.' }),
});

/** What a request that was not carried out is answered with (RFC 9457). */
export const problem = z
  .object({
    title: z.string().meta({ description: 'The status in words.' }),
    status: z.int(),
    code: z.string().meta({ description: 'What is wrong, for programs. It stays the same in later versions.' }),
    detail: z.string().meta({ description: 'What is wrong, with the value.' }),
    fix: z.string().optional().meta({ description: 'What to do about it.' }),
    errors: z.array(wrongValue).optional().meta({ description: 'Each value that is wrong.' }),
    at: z
      .object({ start: z.int(), end: z.int() })
      .optional()
      .meta({ description: 'Of a `query` that cannot be read: the characters in question.' }),
    current: z
      .object({ version: z.int() })
      .optional()
      .meta({ description: 'Of a change that lost a race: the version that is in force.' }),
    outdated: outdated.optional(),
    requestId: z
      .string()
      .meta({ description: 'Also in the header `X-Request-Id`, the log of the server and the audit.' }),
  })
  .meta({ id: 'Problem' });

export type Problem = Omit<z.output<typeof problem>, 'requestId' | 'code'> & { code: ErrorCode | ReportedCode };

/** What the API itself refuses. The code has the status. */
export type Refused = Omit<Problem, 'title' | 'status' | 'code'> & { code: AnsweredCode };

/** A refusal that says more than an `EscapementError`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Omit<Problem, 'title'>;
  /** Headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(problemOf: Refused, headers: Readonly<Record<string, string>> = {}) {
    super(problemOf.detail);
    this.problem = withStatus(problemOf);
    this.headers = headers;
  }
}

/** The parts of a route that errors depend on. */
interface OfRoute {
  missing?: readonly string[] | undefined;
  maxBodyBytes?: number | undefined;
}

/** The answer to an error, and whether it is the server's own. Nothing of the latter is told. */
export interface Judged {
  problem: Problem;
  headers: Readonly<Record<string, string>>;
  unexpected: boolean;
}

/** Of a request whose route says nothing else. */
export const MAX_BODY_BYTES = 1024 * 1024;

const RETRY_AFTER = { 'retry-after': '2' };

/**
 * What an error is answered with. Only words that are meant for users get out: of other errors nothing is told. `missing`: codes of what
 * the route is about. `maxBodyBytes`: the largest body that it takes.
 */
export function judge(error: unknown, { missing = [], maxBodyBytes = MAX_BODY_BYTES }: OfRoute = {}): Judged {
  if (error instanceof ProblemError) return { ...problemOf(error.problem), headers: error.headers };
  if (error instanceof EscapementError) {
    const status = statusOf(error, missing);
    if (status !== undefined) return { ...problemOf(wordsOf(error, status)), headers: retryOf(error, status) };
  }
  if (isPassingError(error))
    return {
      ...problemOf(
        withStatus({
          code: 'database_away',
          detail: 'Postgres does not answer, or is too busy; nothing was done that was not confirmed',
          fix: 'try again in a moment',
        }),
      ),
      headers: RETRY_AFTER,
    };
  const http = httpError(error, maxBodyBytes);
  if (http) return problemOf(withStatus(http));
  const detail = 'the server could not carry this out; its log says why, under the id of this request';
  return { ...problemOf(withStatus({ code: 'internal_error', detail })), unexpected: true };
}

/** When to try again, in whole seconds. */
function retryOf(error: EscapementError, status: number): Readonly<Record<string, string>> {
  if (error instanceof TooOften) return { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfterMs / SECOND))) };
  return status === 503 ? RETRY_AFTER : {};
}

function problemOf(of: Omit<Problem, 'title'>): Judged {
  return { problem: { title: TITLES[of.status] ?? 'Error', ...of }, headers: {}, unexpected: false };
}

function wordsOf(error: EscapementError, status: number): Omit<Problem, 'title'> {
  const { code, message, fix } = error;
  const at = 'at' in error ? z.object({ start: z.int(), end: z.int() }).safeParse(error.at).data : undefined;
  return { status, code, detail: message, ...(fix === undefined ? {} : { fix }), ...(at ? { at } : {}) };
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

function withStatus(refused: Refused): Omit<Problem, 'title'> {
  return { ...refused, status: ERRORS[refused.code].status };
}

/** What the HTTP server itself refuses, by the codes of Fastify. */
function httpError(error: unknown, maxBodyBytes: number): Refused | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return {
        code: 'body_too_large',
        detail: 'the body is too large',
        fix: `at most ${maxBodyBytes / MAX_BODY_BYTES} MiB`,
      };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return {
        code: 'bad_media_type',
        detail: 'the body is of a media type that is not read here',
        fix: 'send JSON, with Content-Type: application/json',
      };
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return { code: 'no_route', detail: 'there is no such path: a part of it is too long' };
    case 'FST_ERR_BAD_URL':
      return { code: 'bad_path', detail: 'the path cannot be read', fix: 'encode it as RFC 3986 says' };
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return { code: 'bad_json', detail: 'the body is no JSON', fix: 'send one JSON value' };
    default:
      return undefined;
  }
}

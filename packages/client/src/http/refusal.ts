import { EscapementError, reportedCode, SECOND, type WrongValue } from '@escapement/core';

/** What the API has refused, as it has said (RFC 9457). `code` is the one that the same act has over Postgres. */
export class ApiError extends EscapementError {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Of the request, in the log of the server and in the audit. */
  readonly requestId: string | undefined;
  /** When to try again; undefined: it would be refused again. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: string,
    message: string,
    facts: {
      fix?: string;
      status: number;
      requestId?: string | undefined;
      retryAfterMs?: number | undefined;
      values?: readonly WrongValue[];
    },
  ) {
    super(reportedCode(code), message, {
      ...(facts.fix === undefined ? {} : { fix: facts.fix }),
      values: facts.values ?? [],
    });
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** So much of an answer is read that is none of the API's. */
const SHOWN = 200;
/** Proxies answer so while what is behind them starts or ends. */
const PASSING: ReadonlySet<number> = new Set([502, 503, 504]);

/** What an answer other than success says. */
export async function refusalOf(base: URL, answer: Response): Promise<EscapementError> {
  const { status } = answer;
  const text = await answer.text().catch(() => '');
  const problem = problemOf(text);
  const retryAfterMs = retryAfterOf(answer);
  if (!problem) return strange(base, answer, text, retryAfterMs);
  const { code, detail, fix, errors, requestId } = problem;
  const values = Array.isArray(errors) ? errors.map(wrongValueOf) : [];
  const more = values.length > 1 ? `: ${values.map(wordsOf).join('; ')}` : '';
  return new ApiError(code, `${detail}${more}`, {
    ...(typeof fix === 'string' ? { fix } : {}),
    values,
    ...{ status, retryAfterMs, requestId: typeof requestId === 'string' ? requestId : undefined },
  });
}

interface ProblemBody {
  code: string;
  detail: string;
  fix?: unknown;
  errors?: unknown;
  requestId?: unknown;
}

function problemOf(text: string): ProblemBody | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isNotified(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isNotified(value: unknown): value is ProblemBody {
  if (typeof value !== 'object' || value === null) return false;
  return 'code' in value && typeof value.code === 'string' && 'detail' in value && typeof value.detail === 'string';
}

function wrongValueOf(wrong: unknown): WrongValue {
  const { path = '', message = '' } = Object(wrong) as { path?: unknown; message?: unknown };
  return { path: String(path), message: String(message) };
}

function wordsOf({ path, message }: WrongValue): string {
  return path === '' ? message : `${path}: ${message}`;
}

function strange(base: URL, answer: Response, text: string, retryAfterMs: number | undefined): EscapementError {
  const to = answer.headers.get('location');
  const shown = text.replace(/\s+/g, ' ').trim().slice(0, SHOWN);
  const said =
    to === null ? (shown === '' ? 'with nothing' : `with: ${shown}`) : `and sends on to ${to.slice(0, SHOWN)}`;
  return new ApiError('api_answer', `${base.origin} answers ${answer.status} ${said}`, {
    ...{ status: answer.status, retryAfterMs },
    fix: 'see whether the URL is that of the HTTP API, and what stands before it',
  });
}

/** 429 and 503 say when; a proxy need not. */
function retryAfterOf({ status, headers }: Response): number | undefined {
  if (status !== 429 && !PASSING.has(status)) return undefined;
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * SECOND : 0;
}

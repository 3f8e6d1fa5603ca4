import { validateHeaderName, validateHeaderValue } from 'node:http';
import {
  EscapementError,
  type HandlerContext,
  type HttpHandler,
  type Json,
  METHODS_WITH_PAYLOAD,
  type RunInfo,
} from '@escapement/core';
import { isSecretHolder, isSecretParameter } from '@escapement/core/mask';
import { resolveSecrets, type SecretLookup, secretsForRun } from '../secrets.ts';

/** A request as it goes out. */
export interface OutgoingRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: Buffer | undefined;
  /** What must not show in the log. */
  secrets: string[];
}

/** The request of a run. Throws `secret_missing`, `secret_bound`, or `bad_header` for one that HTTP does not allow. */
export function prepareRequest(context: HandlerContext<HttpHandler>, lookup: SecretLookup): OutgoingRequest {
  const { spec, run } = context;
  const method = spec.method ?? (spec.body === undefined ? 'GET' : 'POST');
  const body = spec.body === undefined && METHODS_WITH_PAYLOAD.has(method) ? payloadOf(context) : spec.body;
  const { values, secrets } = resolveSecrets(spec.headers ?? {}, secretsForRun(lookup, context));
  const bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const headers = mergeHeaders(
    {
      'User-Agent': 'escapement',
      Accept: '*/*',
      'Accept-Encoding': 'identity',
      'Idempotency-Key': run.id,
      ...(body === undefined ? {} : { 'Content-Type': contentType(body) }),
    },
    values,
    {
      ...runHeaders(run),
      ...(bytes || METHODS_WITH_PAYLOAD.has(method) ? { 'Content-Length': String(bytes?.length ?? 0) } : {}),
    },
  );
  const url = new URL(spec.url);
  return {
    method,
    url,
    headers,
    body: bytes,
    secrets: [...secrets, ...secretsOf(url), ...writtenSecrets(values, body)],
  };
}

/** The payload; of a task that keeps a state, both. */
function payloadOf({ payload, state }: HandlerContext<HttpHandler>): Json | undefined {
  return state ? { payload: payload ?? null, state: state.value ?? null } : payload;
}

/** A server may answer with what it was asked. */
function secretsOf(url: URL): string[] {
  const named = [...url.searchParams].filter(([name]) => isSecretParameter(name)).map(([, value]) => value);
  return [url.password, decoded(url.password), ...named].filter((value) => value !== '');
}

/** What stands in the definition itself, in a header or field whose name says that it is a secret. */
function writtenSecrets(headers: Readonly<Record<string, string>>, body: unknown): string[] {
  const named = Object.entries(headers).filter(([name]) => isSecretHolder(name));
  // `Bearer x`, `Basic x`.
  const parts = named.flatMap(([, value]) => [value, value.slice(value.lastIndexOf(' ') + 1)]);
  return [...parts, ...fieldsOf(body)].filter((value) => value !== '');
}

function fieldsOf(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'string' ? (isSecretHolder(name) ? [value] : []) : fieldsOf(value),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function contentType(body: unknown): string {
  return typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
}

function runHeaders(run: RunInfo): Record<string, string> {
  return {
    'Escapement-Run-Id': run.id,
    'Escapement-Task': run.taskName,
    'Escapement-Attempt': String(run.attempt),
    'Escapement-Scheduled-For': run.scheduledFor.toISOString(),
    'Escapement-Lateness-Ms': String(run.latenessMs),
    'Escapement-Origin': run.origin,
    ...(run.requestedBy === null ? {} : { 'Escapement-Requested-By': headerText(run.requestedBy) }),
    ...(run.traceparent === null ? {} : { Traceparent: run.traceparent }),
    ...(run.causeRunId === null ? {} : { 'Escapement-Cause-Run-Id': run.causeRunId }),
    'Escapement-Key': headerText(run.key),
    'Escapement-Fence': String(run.fence),
  };
}

/** What HTTP does not allow in a header, percent-encoded. */
function headerText(text: string): string {
  return Buffer.from(text)
    .toString()
    .replace(/[^ -$&-~]/gu, encodeURIComponent);
}

/** Later ones win, whatever the case of their letters. */
function mergeHeaders(...layers: Readonly<Record<string, string>>[]): Record<string, string> {
  const merged = new Map<string, [name: string, value: string]>();
  for (const layer of layers)
    for (const [name, value] of Object.entries(layer)) {
      checkHeader(name, value);
      merged.set(name.toLowerCase(), [name, value]);
    }
  return Object.fromEntries(merged.values());
}

function checkHeader(name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    // The value is not shown: it may be a secret.
    throw new EscapementError('bad_header', `the header ${JSON.stringify(name)} or its value is not allowed by HTTP`, {
      fix: 'a name has no spaces; a value has no line breaks and only Latin-1 characters',
    });
  }
}

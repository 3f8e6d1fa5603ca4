import { EscapementError } from '@escapement/core';
import type { SchemaIssue, StandardSchema } from './standard-schema.ts';

const MAX_ISSUES = 10;
const MAX_GOT = 80;

/** One thing that is wrong with a payload. */
export interface PayloadIssue {
  /** Such as `payload.days`. */
  path: string;
  /** The schema's own words: what was expected. */
  expected: string;
  /** The value there, as JSON, cut at 80 characters. */
  got: string;
}

/** A payload that does not fit its task's schema. No retry mends it. */
export class PayloadError extends EscapementError {
  override readonly name = 'PayloadError';
  readonly issues: readonly PayloadIssue[];

  constructor(task: string, issues: readonly PayloadIssue[]) {
    const list = issues.map(({ path, expected, got }) => `${path}: ${expected} (got ${got})`).join('; ');
    super('payload_invalid', `the payload does not fit the schema of task "${task}": ${list}`);
    this.issues = issues;
  }
}

/** The payload as the schema gives it back. Throws `PayloadError` with path, expected and got of each issue. */
export async function checkPayload<Output>(
  task: string,
  schema: StandardSchema<unknown, Output>,
  payload: unknown,
): Promise<Output> {
  const result = await schema['~standard'].validate(payload);
  if (result.issues === undefined) return result.value;
  throw new PayloadError(
    task,
    result.issues.slice(0, MAX_ISSUES).map((issue) => describeIssue(issue, payload)),
  );
}

function describeIssue({ message, path = [] }: SchemaIssue, payload: unknown): PayloadIssue {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
  let value = payload;
  for (const key of keys) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return { path: keys.reduce(pathStep, 'payload'), expected: message, got: brief(value) };
}

function pathStep(path: string, key: PropertyKey): string {
  return typeof key === 'number' ? `${path}[${key}]` : `${path}.${String(key)}`;
}

function brief(value: unknown): string {
  if (value === undefined) return 'nothing';
  const json = JSON.stringify(value) ?? typeof value;
  return json.length <= MAX_GOT ? json : `${json.slice(0, MAX_GOT)}…`;
}

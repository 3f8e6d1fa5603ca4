import { EscapementError } from '@escapement/core';
import type { SchemaIssue, SchemaResult, StandardSchema } from './standard-schema.ts';

const MAX_ISSUES = 10;
const MAX_GOT = 80;

/** One thing that is wrong with a value. */
export interface ValueIssue {
  /** Such as `payload.days`. */
  path: string;
  /** The schema's own words: what was expected. */
  expected: string;
  /** The value there, as JSON, cut at 80 characters. */
  got: string;
}

/** What a task's schema is for. */
export type SchemaUse = 'payload' | 'state' | 'output';

/** A value that does not fit its task's schema (`payload_invalid`, `state_invalid`, `output_invalid`). It is not tried again. */
export class SchemaError extends EscapementError {
  override readonly name: string;
  readonly issues: readonly ValueIssue[];

  constructor(use: SchemaUse, task: string, issues: readonly ValueIssue[]) {
    const list = issues.map(({ path, expected, got }) => `${path}: ${expected} (got ${got})`).join('; ');
    super(`${use}_invalid`, `the ${use} does not fit the schema of task "${task}": ${list}`);
    this.name = ERROR_NAMES[use];
    this.issues = issues;
  }
}

const ERROR_NAMES = { payload: 'PayloadError', state: 'StateError', output: 'OutputError' } as const;

/** A value that a schema of a task has to fit. */
export interface Checked<Output> {
  use: SchemaUse;
  task: string;
  schema: StandardSchema<unknown, Output>;
  value: unknown;
}

/** The value as the schema gives it back. Throws `SchemaError` with path, expected and got of each issue. */
export async function checkValue<Output>(checked: Checked<Output>): Promise<Output> {
  return taken(await checked.schema['~standard'].validate(checked.value), checked);
}

/** The same, thrown at once where the schema answers at once; else the promise of it. */
export function checkValueNow<Output>(checked: Checked<Output>): Output | Promise<Output> {
  const result = checked.schema['~standard'].validate(checked.value);
  return result instanceof Promise ? result.then((late) => taken(late, checked)) : taken(result, checked);
}

/** The payload of a task as its schema gives it back. Throws `SchemaError`. */
export function checkPayload<Output>(
  task: string,
  schema: StandardSchema<unknown, Output>,
  payload: unknown,
): Promise<Output> {
  return checkValue({ use: 'payload', task, schema, value: payload });
}

function taken<Output>(result: SchemaResult<Output>, { use, task, value }: Checked<Output>): Output {
  if (result.issues === undefined) return result.value;
  const issues = result.issues.slice(0, MAX_ISSUES).map((issue) => describeIssue(issue, use, value));
  throw new SchemaError(use, task, issues);
}

function describeIssue({ message, path = [] }: SchemaIssue, use: SchemaUse, whole: unknown): ValueIssue {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
  let value = whole;
  for (const key of keys) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return { path: keys.reduce(pathStep, use), expected: message, got: brief(value) };
}

function pathStep(path: string, key: PropertyKey): string {
  return typeof key === 'number' ? `${path}[${key}]` : `${path}.${String(key)}`;
}

function brief(value: unknown): string {
  if (value === undefined) return 'nothing';
  const json = JSON.stringify(value) ?? typeof value;
  return json.length <= MAX_GOT ? json : `${json.slice(0, MAX_GOT)}…`;
}

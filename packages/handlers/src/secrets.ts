import { EscapementError, type HandlerContext } from '@escapement/core';
import { type SecretUse, secretUseOf } from '@escapement/core/secrets';

/**
 * A secret of this worker by its name, for this use; undefined where there is none, or tasks may not have it. Throws `secret_bound`
 * if it is for others.
 */
export type SecretLookup = (name: string, use: SecretUse) => string | undefined;

/** The secrets for one run. */
export function secretsForRun(
  lookup: SecretLookup,
  { run, spec }: Pick<HandlerContext, 'run' | 'spec'>,
): (name: string) => string | undefined {
  const use = secretUseOf({ name: run.taskName, pool: run.pool, handler: spec });
  return (name) => lookup(name, use);
}

/** A value of a task: as it stands, or taken from the worker when the run starts. */
export type TaskValue = string | { secret: string };

export interface ResolvedValues {
  values: Record<string, string>;
  /** What must not show in logs. */
  secrets: string[];
}

/** Puts the secrets in their places. Throws `secret_missing`, which names all that this worker lacks, or what the look-up throws. */
export function resolveSecrets(
  values: Readonly<Record<string, TaskValue>>,
  lookup: (name: string) => string | undefined,
): ResolvedValues {
  const resolved: Record<string, string> = {};
  const secrets: string[] = [];
  const missing: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string') {
      resolved[name] = value;
      continue;
    }
    const secret = lookup(value.secret);
    if (secret === undefined) missing.push(value.secret);
    else secrets.push(secret);
    resolved[name] = secret ?? '';
  }
  if (missing.length > 0) throw secretMissing(missing);
  return { values: resolved, secrets };
}

function secretMissing(names: readonly string[]): EscapementError {
  const list = names.map((name) => `"${name}"`).join(', ');
  return new EscapementError('secret_missing', `this worker has no secret ${list}`, {
    fix: "set it in the worker's environment and allow tasks to use it in the worker's configuration",
  });
}

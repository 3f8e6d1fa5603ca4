import { EscapementError } from '@escapement/core';

/** A secret of this worker by its name; undefined where there is none, or it may not be given to tasks. */
export type SecretLookup = (name: string) => string | undefined;

/** A value of a task: as it stands, or taken from the worker when the run starts. */
export type TaskValue = string | { secret: string };

export interface ResolvedValues {
  values: Record<string, string>;
  /** What must not show in logs. */
  secrets: string[];
}

/** Puts the secrets in their places. Throws `secret_missing`, which names all that this worker lacks. */
export function resolveSecrets(values: Readonly<Record<string, TaskValue>>, lookup: SecretLookup): ResolvedValues {
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

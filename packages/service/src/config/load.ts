import { EscapementError, nearest } from '@escapement/core';
import { type Environment, givenValue } from './environment.ts';
import { isSecretName } from './secrets.ts';
import { checkTogether } from './together.ts';
import type { ConfigProblem, Role, Variable } from './variable.ts';
import { type Config, VARIABLES } from './variables.ts';

export type ConfigResult<R extends Role> =
  | { ok: true; config: Config<R> }
  | { ok: false; problems: readonly ConfigProblem[] };

/**
 * The configuration of a role, checked once at start.
 * @throws EscapementError `bad_configuration` that lists every problem, a line each.
 */
export function loadConfig<R extends Role>(env: Environment, role: R): Config<R> {
  const result = checkConfig(env, role);
  if (result.ok) return result.config;
  const lines = result.problems.map(({ message, fix }) => `  ${message}: ${fix}`);
  const count = lines.length === 1 ? '1 problem' : `${lines.length} problems`;
  throw new EscapementError('bad_configuration', `${count} in the configuration of the ${role}:\n${lines.join('\n')}`, {
    fix: 'docs/reference/configuration.md lists every variable',
  });
}

/** Checks the whole configuration of a role and finds every problem, not only the first. An empty value counts as absent. */
export function checkConfig<R extends Role>(env: Environment, role: R): ConfigResult<R> {
  const config: Record<string, unknown> = {};
  const problems: ConfigProblem[] = [];
  for (const [key, variable] of Object.entries<Variable>(VARIABLES)) {
    if (!variable.roles.includes(role)) continue;
    const read = readVariable(env, variable, role);
    if ('problem' in read) problems.push(read.problem);
    else config[key] = read.value;
  }
  problems.push(...checkTogether(env, role), ...unknownVariables(env));
  return problems.length === 0 ? { ok: true, config: config as Config<R> } : { ok: false, problems };
}

/** Every value of a role's configuration as text, by variable, secrets masked: for logs and `doctor`. */
export function describeConfig<R extends Role>(config: Config<R>): Record<string, string> {
  const shown: Record<string, string> = {};
  const values: Record<string, unknown> = config;
  for (const [key, variable] of Object.entries<Variable>(VARIABLES)) {
    const value = values[key];
    if (value === undefined) continue;
    const text = String(value);
    shown[variable.env] = variable.mask ? variable.mask(text) : text;
  }
  return shown;
}

type Read = { value: unknown } | { problem: ConfigProblem };

function readVariable(env: Environment, variable: Variable, role: Role): Read {
  const given = givenValue(env, variable.env) ?? defaultOf(variable, role);
  const allowed = variable.schema.description ?? '';
  if (given === undefined) {
    if (!variable.required || role === 'cli') return { value: undefined };
    return { problem: { variable: variable.env, message: `${variable.env} is missing`, fix: `set it to ${allowed}` } };
  }
  const parsed = variable.schema.safeParse(given);
  if (parsed.success) return { value: parsed.data };
  const shown = variable.mask ? variable.mask(given) : given;
  return { problem: { variable: variable.env, message: `${variable.env} is "${shown}"`, fix: `must be ${allowed}` } };
}

export function defaultOf(variable: Variable, role: Role): string | undefined {
  return typeof variable.default === 'object' ? variable.default[role] : variable.default;
}

/** What receivers of alerts hide, by a name of their own choice. */
const RECEIVER_SECRETS = 'ESCAPEMENT_RECEIVER_';

/** What a receiver hides under a name; undefined: this environment has nothing of that name. */
export function receiverSecret(env: Environment, name: string): string | undefined {
  return givenValue(env, `${RECEIVER_SECRETS}${name}`);
}

/** A mistyped variable would otherwise be a setting that silently does nothing. */
function unknownVariables(env: Environment): ConfigProblem[] {
  const known = new Set<string>(Object.values(VARIABLES).map((variable) => variable.env));
  const secrets = secretPatternsOf(env);
  return Object.keys(env)
    .filter((name) => name.startsWith('ESCAPEMENT_') && !known.has(name))
    .filter((name) => !name.startsWith(RECEIVER_SECRETS) && !isSecretName(name, secrets))
    .map((name) => {
      const near = nearest(name, known);
      const fix = near
        ? `did you mean ${near}?`
        : 'remove it, or see docs/reference/configuration.md for those that exist';
      return { variable: name, message: `${name} is not a variable of Escapement`, fix };
    });
}

/** The defaults count too: schedulers and the command line may share a file of variables with workers. */
function secretPatternsOf(env: Environment): string[] {
  const parsed = VARIABLES.secrets.schema.safeParse(givenValue(env, VARIABLES.secrets.env));
  return [VARIABLES.secrets.default, ...(parsed.success ? parsed.data.rules.map(({ pattern }) => pattern) : [])];
}

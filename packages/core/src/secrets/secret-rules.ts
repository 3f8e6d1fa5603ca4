import { EscapementError } from '../errors.ts';
import { NAME } from '../task-name.ts';
import { type BoundHost, boundHost, isBoundHost } from './bound-host.ts';
import { type Glob, globOf, matchesGlob } from './glob.ts';

/** Who would get a secret. */
export interface SecretUse {
  task: string;
  pool: string;
  /** Where an `http` task would send it; undefined: a task of another kind, which could send it anywhere. */
  url?: URL;
}

/** An entry of `ESCAPEMENT_SECRETS`: which variables it opens, and to whom. What is undefined is not bound. */
export interface SecretRule {
  /** The name of a variable; one that ends in `*` stands for all that begin so. */
  pattern: string;
  tasks: readonly Glob[] | undefined;
  pools: readonly string[] | undefined;
  /** The secret goes to these hosts only. */
  hosts: readonly BoundHost[] | undefined;
}

/** `ESCAPEMENT_SECRETS`. */
export interface SecretRules {
  rules: readonly SecretRule[];
  /** As it was written. */
  toString(): string;
}

export const SECRET_RULES_ALLOWED =
  'names of variables separated by commas; a name may end in * (but not be * alone); after it may stand tasks=, pools= and hosts=, each with names separated by |, as in ESCAPEMENT_SECRET_SHOP tasks=shop-*|report hosts=api.shop.example';

/** Reads `ESCAPEMENT_SECRETS`. Throws `bad_secrets` naming the entry that is none. */
export function parseSecretRules(text: string): SecretRules {
  const rules = text.split(',').map((entry) => readRule(entry.trim()));
  return { rules, toString: () => text.trim() };
}

/** A bare `*` would hand every variable, the database's password included, to whoever may save a task. */
const PATTERN = /^[A-Za-z_][A-Za-z0-9_]*\*?$/;

function readRule(text: string): SecretRule {
  const [pattern = '', ...bounds] = text.split(/\s+/);
  if (!PATTERN.test(pattern)) throw bad(text);
  const found = new Map<string, string[]>();
  for (const bound of bounds) {
    const [, key, list] = /^(tasks|pools|hosts)=(.+)$/.exec(bound) ?? [];
    if (key === undefined || list === undefined || found.has(key)) throw bad(text);
    found.set(key, list.split('|'));
  }
  return {
    pattern,
    tasks: found
      .get('tasks')
      ?.map((item) => given(NAME.test(item.replaceAll('*', 'x')) ? globOf(item) : undefined, text)),
    pools: found.get('pools')?.map((item) => given(/^[a-z0-9_-]+$/.test(item) ? item : undefined, text)),
    hosts: found.get('hosts')?.map((item) => given(boundHost(item), text)),
  };
}

function given<T>(value: T | undefined, entry: string): T {
  if (value === undefined) throw bad(entry);
  return value;
}

function bad(entry: string): EscapementError {
  return new EscapementError('bad_secrets', `${JSON.stringify(entry)} names no secret`, { fix: SECRET_RULES_ALLOWED });
}

/**
 * Why a secret is not for a task, with its binding (`secret_bound`); undefined: it is, or the rules do not know it. The most exact
 * pattern counts: a name before a prefix, a long prefix before a short one. Of several entries with this pattern any one suffices.
 */
export function judgeSecret(rules: SecretRules, name: string, use: SecretUse): EscapementError | undefined {
  const own = rulesFor(rules, name);
  if (own.length === 0 || own.some((rule) => admits(rule, use))) return undefined;
  const who = `task ${use.task} of pool ${use.pool}${use.url ? `, which sends it to ${use.url.host}` : ''}`;
  const binding = own.map(bindingOf).join(', or to ');
  return new EscapementError('secret_bound', `the secret "${name}" is not for ${who}: it is bound to ${binding}`, {
    fix: 'use another secret, or let an operator extend its entry in ESCAPEMENT_SECRETS of the workers',
  });
}

function rulesFor({ rules }: SecretRules, name: string): SecretRule[] {
  const matching = rules.filter(({ pattern }) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
  const most = Math.max(...matching.map(exactness));
  return matching.filter((rule) => exactness(rule) === most);
}

/** A name is more exact than any prefix of it. */
function exactness({ pattern }: SecretRule): number {
  return pattern.endsWith('*') ? pattern.length - 1 : Number.POSITIVE_INFINITY;
}

function admits({ tasks, pools, hosts }: SecretRule, { task, pool, url }: SecretUse): boolean {
  if (tasks && !tasks.some((glob) => matchesGlob(glob, task))) return false;
  if (pools && !pools.includes(pool)) return false;
  return !hosts || (url !== undefined && hosts.some((host) => isBoundHost(host, url)));
}

function bindingOf({ tasks, pools, hosts }: SecretRule): string {
  const parts = [
    ...(tasks ? [`tasks ${tasks.map(({ text }) => text).join(' | ')}`] : []),
    ...(pools ? [`pools ${pools.join(' | ')}`] : []),
    ...(hosts ? [`http requests to ${hosts.map(({ text }) => text).join(' | ')}`] : []),
  ];
  return parts.join(', ');
}

import type { TaskInput } from '@escapement/core';
import { shellQuoted } from '../shell-quoted.ts';
import { cannotSay } from '../translated/translated.ts';
import { isNode, type Node, nodeAt, nodesAt, otherKeys, textAt, textsAt } from './at.ts';

type ShellInput = Extract<TaskInput['handler'], { type: 'shell' }>;
type Env = NonNullable<ShellInput['env']>;

interface Found {
  lost: string[];
  notes: string[];
}

const KNOWN = ['name', 'image', 'imagePullPolicy', 'command', 'args', 'env', 'workingDir'];
/** What the API server fills in by itself. */
const DEFAULTS = ['terminationMessagePath', 'terminationMessagePolicy'];

/** What a container runs. What it has besides a command is told to `found`. Throws `cannot_say`. */
export function readContainer(container: Node, found: Found): ShellInput {
  const name = textAt(container, 'name') ?? 'its container';
  const image = textAt(container, 'image');
  if (image !== undefined)
    found.lost.push(
      `image ${image}: the command runs on the system of the worker; for that image, start workers of a pool (--pool) in containers made from it`,
    );
  const others = otherKeys(container, [...KNOWN, ...DEFAULTS]);
  if (others.length > 0) found.lost.push(`${others.join(', ')} of ${name}: they are those of the worker`);
  const env = envOf(container, found);
  const cwd = textAt(container, 'workingDir');
  return {
    type: 'shell',
    ...commandOf([...textsAt(container, 'command'), ...textsAt(container, 'args')], container, env),
    ...(Object.keys(env).length > 0 ? { env } : {}),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba|a|da|z|k)?sh$/;

function commandOf(
  words: readonly string[],
  container: Node,
  env: Env,
): Pick<ShellInput, 'argv' | 'command' | 'shell'> {
  if (textsAt(container, 'command').length === 0)
    throw cannotSay(
      'it has no command: what it runs is the entry point of its image',
      'write it as command: `docker inspect --format {{.Config.Entrypoint}} IMAGE` tells it',
    );
  const [shell = '', option, line, ...more] = words;
  // A secret is known when the run starts, so a shell has to fill it in.
  const isLine = SHELL.test(shell) && option === '-c' && line !== undefined && more.length === 0;
  if (isLine) {
    const path = shell.includes('/') ? shell : `/bin/${shell}`;
    return { command: filledIn(line, env, (name) => `\${${name}}`), ...(path === '/bin/sh' ? {} : { shell: path }) };
  }
  if (words.some((word) => namesSecret(word, env)))
    return { command: `exec ${words.map((word) => quotedWithSecrets(word, env)).join(' ')}` };
  return { argv: words.map((word) => filledIn(word, env, (name) => `$(${name})`)) };
}

const REFERENCE = /\$\$|\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)/g;

/** Kubernetes fills in `$(NAME)` of its own variables; `$$` is a dollar. */
function filledIn(word: string, env: Env, secret: (name: string) => string): string {
  return word.replace(REFERENCE, (found, name: string | undefined) => {
    if (name === undefined) return '$';
    const value = env[name];
    if (value === undefined) return found;
    return typeof value === 'string' ? value : secret(name);
  });
}

function namesSecret(word: string, env: Env): boolean {
  return [...word.matchAll(REFERENCE)].some(([, name]) => name !== undefined && typeof env[name] === 'object');
}

function quotedWithSecrets(word: string, env: Env): string {
  const parts = word.split(/(\$\([A-Za-z_][A-Za-z0-9_]*\))/).filter(Boolean);
  return parts
    .map((part) => (namesSecret(part, env) ? `"\${${part.slice(2, -1)}}"` : shellQuoted(filledIn(part, env, String))))
    .join('');
}

function envOf(container: Node, found: Found): Env {
  const env: Env = {};
  for (const entry of nodesAt(container, 'env')) {
    const name = textAt(entry, 'name') ?? '';
    const value = entry.valueFrom === undefined ? (textAt(entry, 'value') ?? '') : secretOf(name, entry, found);
    if (value === undefined) continue;
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      env[name] = typeof value === 'string' ? filledIn(value, env, String) : value;
    else found.lost.push(`env ${name}: a variable of a task has a name of letters, digits and _`);
  }
  return env;
}

const NO_SECRET: { readonly [kind: string]: string } = {
  configMapKeyRef: 'write the value into the task',
  fieldRef: 'a run has ESCAPEMENT_RUN_ID and the like',
  resourceFieldRef: 'write the value into the task',
};

/** The secret of the workers that stands for one of the cluster; undefined: it is none, which is told. */
function secretOf(name: string, entry: Node, { lost, notes }: Found): { secret: string } | undefined {
  const from = nodeAt(entry, 'valueFrom');
  const reference = from.secretKeyRef;
  if (isNode(reference)) {
    const [object, key] = [textAt(reference, 'name') ?? '', textAt(reference, 'key') ?? ''];
    const secret = secretName(object, key);
    notes.push(
      `env ${name}: the workers need the secret ${secret} (\`kubectl get secret ${object} -o go-template='{{index .data "${key}" | base64decode}}'\`)`,
    );
    return { secret };
  }
  const [kind = 'valueFrom'] = Object.keys(from);
  lost.push(`env ${name} from ${kind}: ${NO_SECRET[kind] ?? 'write the value into the task'}`);
  return undefined;
}

/** As workers take secrets from their environment by default. */
export function secretName(object: string, key: string): string {
  return `ESCAPEMENT_SECRET_${object}_${key}`.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
}

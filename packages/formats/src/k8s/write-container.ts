import type { Json, ShellHandler } from '@escapement/core';
import { cannotSay } from '../translated/translated.ts';

/** The object that secrets of workers are expected in. */
const SECRETS = 'escapement-secrets';

/** A container that runs the command of a task. Throws `cannot_say`. */
export function writeContainer(handler: ShellHandler, image: string, notes: string[]): { [key: string]: Json } {
  if (handler.stdin !== undefined) throw cannotSay('it has standard input', 'put it into the command');
  if (handler.user !== undefined) notes.push(`it runs as ${handler.user}; a container runs as the user of its image`);
  const { argv, command = '', shell = '/bin/sh', env = {}, cwd } = handler;
  return {
    name: 'task',
    image,
    command: (argv ?? [shell, '-c', command]).map((word) => escaped(word, env)),
    ...(Object.keys(env).length > 0
      ? { env: Object.entries(env).map(([name, value]) => variable(name, value, notes)) }
      : {}),
    ...(cwd === undefined ? {} : { workingDir: cwd }),
  };
}

/** Kubernetes fills in `$(NAME)` of its variables, and reads `$$` as a dollar. */
function escaped(word: string, env: NonNullable<ShellHandler['env']>): string {
  const isRead =
    /\$\$/.test(word) || [...word.matchAll(/\$\(([\w.-]+)\)/g)].some(([, name]) => name !== undefined && name in env);
  return isRead ? word.replaceAll('$', '$$$$') : word;
}

function variable(name: string, value: string | { secret: string }, notes: string[]): { [key: string]: Json } {
  if (typeof value === 'string') return { name, value: /\$/.test(value) ? value.replaceAll('$', '$$$$') : value };
  notes.push(`${name} is a secret: the Secret ${SECRETS} has to have the key ${value.secret}`);
  return { name, valueFrom: { secretKeyRef: { name: SECRETS, key: value.secret } } };
}

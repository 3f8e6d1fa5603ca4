import { cannotSay } from '../translated/translated.ts';

/** The name of a unit: `backup@db.service` is the instance `db` of the template `backup@.service`. */
export interface UnitName {
  /** With its suffix. */
  full: string;
  prefix: string;
  instance: string;
}

export function unitName(full: string): UnitName {
  const [, prefix = full, instance = ''] = /^([^@]*)(?:@(.*))?\.[a-z]+$/s.exec(full) ?? [];
  return { full, prefix, instance };
}

/** The name of the template that a unit is an instance of; undefined: it is none. */
export function templateOf({ full, instance }: UnitName): string | undefined {
  return instance === '' ? undefined : full.replace(`@${instance}.`, '@.');
}

/** Folders of the system's own manager. */
const FOLDERS: { readonly [letter: string]: string } = {
  t: '/run',
  S: '/var/lib',
  C: '/var/cache',
  L: '/var/log',
  E: '/etc',
  T: '/tmp',
  V: '/var/tmp',
  h: '/root',
  u: 'root',
  U: '0',
  s: '/bin/sh',
  '%': '%',
};

/** Of machine, boot, kernel, operating system and manager; a task runs on any worker. */
const OF_THE_HOST = new Set('aAbBdDgGHlmMoqvwWyY');

/** Replaces the specifiers of systemd.unit(5). Throws `cannot_say` for those that only a running host knows. */
export function withoutSpecifiers(text: string, name: UnitName): string {
  return text.replace(/%(.?)/gs, (found, letter: string) => {
    const value = ofName(letter, name) ?? FOLDERS[letter];
    // systemd leaves a stray % as it is, and letters that it does not know.
    if (value === undefined && !OF_THE_HOST.has(letter)) return found;
    if (value === undefined)
      throw cannotSay(`"${found}" in "${text}" stands for what only the host knows`, 'write its value into the unit');
    return value;
  });
}

function ofName(letter: string, { full, prefix, instance }: UnitName): string | undefined {
  const plain: { readonly [letter: string]: string } = {
    n: full,
    N: full.replace(/\.[a-z]+$/, ''),
    p: prefix,
    P: unescaped(prefix),
    i: instance,
    I: unescaped(instance),
    j: prefix.split('-').at(-1) ?? '',
    J: unescaped(prefix.split('-').at(-1) ?? ''),
    f: `/${unescaped(instance || prefix)}`,
  };
  return plain[letter];
}

/** systemd.unit(5): `-` stands for `/`, `\x2d` for a character. */
function unescaped(text: string): string {
  return text
    .replaceAll('-', '/')
    .replace(/\\x([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

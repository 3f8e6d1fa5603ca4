import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EscapementError } from '@escapement/core';
import type { UnitsGiven } from '@escapement/formats';
import { readUtf8 } from '../options.ts';

type UnitFiles = Pick<UnitsGiven, 'files' | 'timers'>;

const noInput = async () => '';

/**
 * Reads the units of folders, and those beside each timer that is named: `.timer`, `.service`, their drop-ins, and the instances that
 * `timers.target.wants` has. Throws `no_file`.
 */
export async function readUnitFiles(paths: readonly string[]): Promise<UnitFiles> {
  const folders = new Map<string, readonly string[]>();
  const timers = new Set<string>();
  for (const path of paths) {
    const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
    const folder = isFolder ? path : dirname(path);
    if (!isFolder && !path.endsWith('.timer'))
      throw new EscapementError('no_file', `${path} is neither a folder nor a .timer`, {
        fix: 'give timers, or folders that have them: their services are looked for beside them',
      });
    const names = folders.get(folder) ?? (await namesIn(folder));
    folders.set(folder, names);
    for (const name of isFolder ? timersIn(names) : [basename(path)]) timers.add(join(folder, name));
    if (isFolder && timersIn(names).length === 0)
      throw new EscapementError('no_file', `the folder ${path} has no .timer in it`, {
        fix: 'give a folder such as /etc/systemd/system',
      });
  }
  const files = [...folders].flatMap(([folder, names]) => names.filter(isUnit).map((name) => join(folder, name)));
  return { files: await Promise.all(files.map(readUnit)), timers: [...timers].sort() };
}

/** A file that cannot be read matters only to a timer that needs it. */
async function readUnit(path: string): Promise<UnitsGiven['files'][number]> {
  try {
    return { path, text: await readUtf8(path, noInput) };
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    return { path, unreadable: error.message };
  }
}

const UNIT = /^(?:[^/]+\.(?:timer|service)|[^/]+\.(?:timer|service)\.d\/[^/]+\.conf)$/;

function isUnit(name: string): boolean {
  return UNIT.test(name);
}

/** Templates stand for their instances that are wanted; one without any is named, so that it is told of. */
function timersIn(names: readonly string[]): string[] {
  const own = names.filter((name) => /^[^/]+\.timer$/.test(name));
  const wanted = names.flatMap((name) => /^timers\.target\.wants\/([^/]+@[^/]+\.timer)$/.exec(name)?.[1] ?? []);
  const instances = wanted.filter((name) => own.includes(name.replace(/@.*\./, '@.')));
  const isInstanced = (name: string) => instances.some((each) => each.replace(/@.*\./, '@.') === name);
  return [...new Set([...own.filter((name) => !isInstanced(name)), ...instances])];
}

/** The names in a folder, and those in its folders of drop-ins and of wanted timers. Throws `no_file`. */
async function namesIn(folder: string): Promise<string[]> {
  const names = await list(folder);
  const below = names.filter((name) => /\.(?:timer|service)\.d$/.test(name) || name === 'timers.target.wants');
  const inner = await Promise.all(
    below.map(async (name) => (await list(join(folder, name))).map((each) => `${name}/${each}`)),
  );
  return [...names, ...inner.flat()];
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new EscapementError('no_file', `${folder} cannot be read: ${why}`, {
      fix: 'give timers, or folders that have them',
      cause: error,
    });
  }
}

import { readdir, readFile } from 'node:fs/promises';

/** A look is shared by all who ask within this time: a shutdown stops many groups at once. Milliseconds. */
const FRESH_MS = 20;
const NUMBER = /^\d+$/;

let look: Promise<ReadonlySet<number>> | undefined;

/**
 * The process groups of which only zombies are left. They are dead, but the system says that the group is there until
 * their parent has asked for them; for orphans that is process 1, and in a container it may take its time, or never do it.
 * Empty where there is no /proc.
 */
export function deadGroups(): Promise<ReadonlySet<number>> {
  look ??= lookAtGroups().finally(() => {
    setTimeout(() => {
      look = undefined;
    }, FRESH_MS).unref();
  });
  return look;
}

async function lookAtGroups(): Promise<ReadonlySet<number>> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => NUMBER.test(name));
  const members = (await Promise.all(pids.map(memberOf))).filter((member) => member !== undefined);
  const living = new Set(members.filter(({ dead }) => !dead).map(({ group }) => group));
  return new Set(members.map(({ group }) => group).filter((group) => !living.has(group)));
}

/** `pid (name) state ppid pgrp ...`, where the name may hold anything. Undefined: it has gone meanwhile. */
async function memberOf(pid: string): Promise<{ group: number; dead: boolean } | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  const [state = '', , group] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return group === undefined ? undefined : { group: Number(group), dead: 'ZXx'.includes(state) };
}

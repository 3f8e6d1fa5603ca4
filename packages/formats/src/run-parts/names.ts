/** What is in a folder. */
export interface FolderEntry {
  name: string;
  kind: 'file' | 'folder' | 'nowhere';
  /** Somebody may execute it. */
  executable: boolean;
}

/**
 * Which files a run-parts takes. `debian`: run-parts(8) of Debian, of which that of busybox takes the same. `cronie`: the script of cronie,
 * with the lists `jobs.deny` and `jobs.allow` of the folder.
 */
export type NameRule =
  | { kind: 'debian'; lsb: boolean; pattern: RegExp | undefined }
  | { kind: 'cronie'; deny: ReadonlySet<string>; allow: ReadonlySet<string> | undefined };

export interface Scripts {
  /** What it runs, in its order. */
  names: string[];
  /** What it leaves out, and why. Of files that begin with a dot nothing is told. */
  left: { name: string; why: string }[];
}

const PLAIN_NAME = /^[A-Za-z0-9_-]+$/;
/** `--lsbsysinit`: names of LANANA, hierarchical and reserved names of the LSB, names of Debian's cron. */
const LSB_NAME = /^[a-z0-9]+$|^_?(?:[a-z0-9_.]+-)+[a-z0-9]+$|^[a-z0-9][a-z0-9-]*$/;
const LSB_LEFT_BEHIND = /\.dpkg-(?:old|dist|new|tmp)$/;
const CRONIE_LEFT_BEHIND = /[~,]$|,v$|\.(?:rpmsave|rpmorig|rpmnew|swp|cfsaved)$/;

/** What run-parts runs of a folder. It goes by the bytes of names, as in the locale C. Pure. */
export function scriptsIn(entries: readonly FolderEntry[], rule: NameRule): Scripts {
  const scripts: Scripts = { names: [], left: [] };
  for (const entry of [...entries].sort((one, other) =>
    Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)),
  )) {
    const why = whyLeft(entry, rule);
    if (why === undefined) scripts.names.push(entry.name);
    else if (!entry.name.startsWith('.')) scripts.left.push({ name: entry.name, why });
  }
  return scripts;
}

function whyLeft({ name, kind, executable }: FolderEntry, rule: NameRule): string | undefined {
  if (kind === 'folder') return 'it is a folder';
  if (!isName(name, rule)) return 'run-parts runs no file of such a name';
  if (rule.kind === 'cronie' && rule.deny.has(name)) return 'jobs.deny names it';
  if (rule.kind === 'cronie' && rule.allow?.has(name) === false) return 'jobs.allow does not name it';
  if (kind === 'nowhere') return 'it is a link to what is not there';
  return executable ? undefined : 'nobody may execute it';
}

function isName(name: string, rule: NameRule): boolean {
  if (rule.kind === 'cronie') return !name.startsWith('.') && !CRONIE_LEFT_BEHIND.test(name);
  if (rule.pattern) return rule.pattern.test(name);
  return rule.lsb ? LSB_NAME.test(name) && !LSB_LEFT_BEHIND.test(name) : PLAIN_NAME.test(name);
}

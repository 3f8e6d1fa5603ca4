import { z } from 'zod';

const names = z.record(z.string(), z.string());
const KINDS = new Set(['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']);

const manifest = z.record(z.string(), z.unknown());
const lock = z.looseObject({ packages: z.record(z.string(), manifest) });

/** All packages have the same version, and depend on each other by exactly that. */
export interface Lockstep {
  version: string;
  /** The names of all workspaces. */
  ours: ReadonlySet<string>;
}

/** The text of a package.json, with the version. */
export function manifestWith(text: string, lockstep: Lockstep): string {
  return written(raised(JSON.parse(text), lockstep));
}

/** The text of a package-lock.json, with the version for these folders and the root. */
export function lockWith(text: string, folders: readonly string[], lockstep: Lockstep): string {
  const own = new Set(['', ...folders]);
  const { packages } = lock.parse(JSON.parse(text));
  const raisedPackages = Object.entries(packages).map(([folder, entry]) => [
    folder,
    own.has(folder) ? raised(entry, lockstep) : entry,
  ]);
  return written({ ...raised(JSON.parse(text), lockstep), packages: Object.fromEntries(raisedPackages) });
}

/** The text of a manifest for Kubernetes, with the version as the tag of our images. */
export function imagesWith(text: string, { version }: Pick<Lockstep, 'version'>): string {
  return text.replace(/(\bimage: escapement-[a-z]+):\S+/g, `$1:${version}`);
}

/** The text of docker-bake.json, with the version that images are tagged with. */
export function bakeWith(text: string, { version }: Pick<Lockstep, 'version'>): string {
  return text.replace(/("VERSION": \{ "default": )"[^"]*"/, `$1"${version}"`);
}

/** Keys keep their order. */
function raised(value: unknown, { version, ours }: Lockstep): Record<string, unknown> {
  const entries = Object.entries(manifest.parse(value)).map(([key, before]) => {
    if (key === 'version') return [key, version];
    if (!KINDS.has(key)) return [key, before];
    const ranges = Object.entries(names.parse(before)).map(([name, range]) => [name, ours.has(name) ? version : range]);
    return [key, Object.fromEntries(ranges)];
  });
  return Object.fromEntries(entries);
}

function written(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Three numbers, and perhaps what kind of a preview it is: `1.2.3`, `1.2.3-rc.1`. */
export function isVersion(text: string): boolean {
  return /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9a-z]+(\.[0-9a-z]+)*)?$/.test(text);
}

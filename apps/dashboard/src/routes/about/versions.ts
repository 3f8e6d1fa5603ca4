import type { components } from '../../api/generated/openapi.ts';

export type PartName = 'api' | 'scheduler' | 'worker';

/** What runs with a version: how many of them, and where. */
export interface Part {
  name: PartName;
  version: string;
  count: number;
  hosts: readonly string[];
}

interface Process {
  host: string;
  appVersion: string;
}

/** Processes of a kind by their versions, the newest text first. */
export function partsOf(name: PartName, processes: readonly Process[]): Part[] {
  const versions = [...new Set(processes.map(({ appVersion }) => appVersion))].toSorted().toReversed();
  return versions.map((version) => {
    const own = processes.filter(({ appVersion }) => appVersion === version);
    return { name, version, count: own.length, hosts: [...new Set(own.map(({ host }) => host))].toSorted() };
  });
}

/** Whether parts have several versions. */
export const areMixed = (parts: readonly Pick<Part, 'version'>[]): boolean =>
  new Set(parts.map(({ version }) => version)).size > 1;

type Level = components['schemas']['Examination']['findings'][number]['level'];

const ORDER: readonly Level[] = ['problem', 'warning', 'ok'];

/** What needs somebody stands first. */
export function bySeverity<T extends { level: Level }>(findings: readonly T[]): T[] {
  return findings.toSorted((one, other) => ORDER.indexOf(one.level) - ORDER.indexOf(other.level));
}

import type { components } from '../../api/generated/openapi.ts';

export type Line = components['schemas']['ShadowedLine'];
export type Side = 'cron' | 'fleet';

/** The lines of one file. */
export interface Crontab {
  source: string;
  /** Of its name, `HOST:PATH`; null: it was given another one. */
  host: string | null;
  path: string;
  lines: readonly Line[];
  /** Hosts that have told of it. */
  hosts: readonly string[];
  /** When cron was last told to have started one of them; null: never. ISO 8601. */
  lastStartedAt: string | null;
  comparedSince: string | null;
}

/** So often a line has agreed before it takes part unasked: as the API has it. */
const ENOUGH_AGREED = 3;

/** By crontab, those of a host after one another; only lines in which the text is. */
export function crontabsOf(lines: readonly Line[], text = ''): Crontab[] {
  const wanted = text.toLowerCase();
  const isIn = ({ source, task, command }: Line) =>
    [source, task, command].some((each) => each.toLowerCase().includes(wanted));
  const bySource = new Map<string, Line[]>();
  for (const line of lines.filter(isIn)) bySource.set(line.source, [...(bySource.get(line.source) ?? []), line]);
  return [...bySource]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([source, own]) => ({
      source,
      ...placeOf(source),
      lines: own,
      hosts: [...new Set(own.flatMap(({ hosts }) => hosts))],
      lastStartedAt:
        own
          .map((line) => line.lastStartedAt ?? '')
          .toSorted()
          .at(-1) || null,
      comparedSince: own.flatMap((line) => line.comparedSince ?? []).toSorted()[0] ?? null,
    }));
}

function placeOf(source: string): Pick<Crontab, 'host' | 'path'> {
  const [, host = null, path = source] = /^([^:/]+):(.+)$/.exec(source) ?? [];
  return { host, path };
}

/** Who has the line once what its host has agreed to has come; `unknown`: it has not answered. */
export function headingTo({ side, cutover }: Line): Side | 'unknown' {
  if (cutover?.state === 'proposed') return 'unknown';
  return cutover?.state === 'taken' ? cutover.to : side;
}

/** To whom it may be asked to go next; while its host is asked, to whom that is. */
export function nextSide(line: Line): Side {
  if (line.cutover?.state === 'proposed') return line.cutover.to;
  return headingTo(line) === 'fleet' ? 'cron' : 'fleet';
}

/** Whether it takes part where all that agree are cut over, but for a worker that could run it. */
export function isGreen(line: Line): boolean {
  return headingTo(line) === 'cron' && line.unexplained === 0 && line.agreed >= ENOUGH_AGREED;
}

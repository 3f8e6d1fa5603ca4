import { groupedBy } from '@escapement/core';
import { type ImportReport, mentionsRunParts } from '@escapement/formats';
import type { Context } from '../context.ts';
import type { LeftFile } from '../host/crontabs-of-host.ts';
import type { Column } from '../output/table.ts';
import { counted } from '../output/wording.ts';

/** What all crontabs of a host become, or have become. */
export interface HostImport {
  /** What its crontabs are called by. */
  host: string;
  /** Of tasks that are new. */
  pool: string;
  shadow: boolean;
  /** The folder that is `/` of the host. */
  root: string;
  reports: ImportReport[];
  left: LeftFile[];
  anacrontab: string | undefined;
  /** Crontabs that have tasks, and are not there any more. */
  gone: { crontab: string; tasks: number; deleted: boolean }[];
  /** --strict met what is bad. */
  refusedAll: boolean;
}

interface Row extends ImportReport {
  crontab: string;
}

const COLUMNS: Column<Row>[] = [
  { title: 'CRONTAB', value: ({ crontab }) => crontab },
  { title: 'NEW', value: ({ counts }) => String(counts.create), align: 'right' },
  { title: 'CHANGED', value: ({ counts }) => String(counts.update), align: 'right' },
  { title: 'UNCHANGED', value: ({ counts }) => String(counts.unchanged), align: 'right' },
  { title: 'THERE ALREADY', value: ({ counts }) => String(counts.duplicate), align: 'right' },
  { title: 'LINE GONE', value: ({ counts }) => String(counts.removed), align: 'right' },
  { title: 'REFUSED', value: ({ counts }) => String(counts.refused), align: 'right' },
];

export function showHostImport(imported: HostImport, { output }: Context): void {
  const { host, reports, left, gone } = imported;
  const rows = reports.map((report) => ({ ...report, crontab: report.source.replace(`crontab:${host}:`, '') }));
  output.table({ host, crontabs: rows, left, gone }, rows, COLUMNS);
  if (output.format === 'json') return;
  const below = [
    ...rows.flatMap(refusedLines),
    ...left.map(({ path, why }) => `left: ${path}: ${why}`),
    ...gone.map(
      ({ crontab, tasks, deleted }) =>
        `no more on the host: ${crontab}, with ${counted(tasks, 'task')}: ${deleted ? 'deleted' : '--prune deletes them'}`,
    ),
    ...notesOf(rows).map((note) => `note: ${note}`),
    ...poolNote(imported),
    ...anacronNote(imported),
    ...scriptsNote(imported),
    `each line of one of them: \`escapement import crontab FILE --source ${host}:FILE\`, with --system, or --user NAME`,
    summary(imported),
  ];
  output.text(`\n${below.join('\n')}\n`);
}

function refusedLines({ crontab, lines }: Row): string[] {
  return lines
    .filter(({ action }) => action === 'refused')
    .map(({ line, text, notes: [why] }) => `${crontab}, line ${line} refused: ${text}\n    ${why}`);
}

/** What several crontabs or lines have in common is said once, and of how many; else it is said of which it is. */
function notesOf(rows: readonly Row[]): string[] {
  const ofCrontabs = rows.flatMap(({ crontab, notes }) => notes.map((note) => ({ place: crontab, note })));
  const ofLines = rows.flatMap(({ crontab, lines }) =>
    lines
      .filter(({ action }) => action !== 'refused')
      .flatMap(({ line, notes }) => notes.map((note) => ({ place: `${crontab}, line ${line}`, note }))),
  );
  return [
    ...saidOnce(ofLines, (note, count) => `${counted(count, 'line')}: ${note}`),
    ...saidOnce(ofCrontabs, (note) => note),
  ];
}

function saidOnce(
  notes: readonly { place: string; note: string }[],
  ofSeveral: (note: string, count: number) => string,
): string[] {
  return [...groupedBy(notes, ({ note }) => note)].map(([note, places]) =>
    places.length > 1 ? ofSeveral(note, places.length) : `${places[0]?.place}: ${note}`,
  );
}

function poolNote({ pool, reports, shadow }: HostImport): string[] {
  if (reports.every(({ counts }) => counts.create === 0)) return [];
  const until = shadow ? 'before a line is cut over' : 'to run them';
  return [
    `note: new tasks are of pool ${pool}, unless one says otherwise: ${until}, start a worker on the host with ESCAPEMENT_POOLS=${pool} ESCAPEMENT_ALLOW_SHELL=true`,
  ];
}

function anacronNote({ anacrontab, host, pool }: HostImport): string[] {
  if (anacrontab === undefined) return [];
  return [
    `note: the jobs of ${anacrontab} are not crontabs: \`escapement import anacron ${anacrontab} --source ${host} --prefix ${host}/ --pool ${pool}\``,
  ];
}

function scriptsNote({ host, pool, reports, root }: HostImport): string[] {
  const lines = reports.flatMap((report) => report.lines).filter(({ text }) => mentionsRunParts(text));
  if (lines.length === 0) return [];
  const of = root === '/' ? '' : ` --root ${root}`;
  return [
    `note: ${counted(lines.length, 'line')} of run-parts: a task of each script makes \`escapement import run-parts${of} --source ${host} --prefix ${host}/ --pool ${pool}\``,
  ];
}

function summary({ host, reports, refusedAll }: HostImport): string {
  const sum = (count: (counts: ImportReport['counts']) => number) =>
    reports.reduce((total, { counts }) => total + count(counts), 0);
  const written = reports.some((report) => report.written);
  const parts = [
    `${sum(({ create }) => create)} ${written ? 'created' : 'to create'}`,
    `${sum(({ update }) => update)} ${written ? 'updated' : 'to update'}`,
    `${sum(({ unchanged }) => unchanged)} unchanged`,
    `${sum(({ refused }) => refused)} refused`,
  ];
  const line = `${host}: ${counted(reports.length, 'crontab')}: ${parts.join(', ')}`;
  if (refusedAll) return `${line}. Nothing is written: --strict.`;
  if (written) return `${line}.`;
  const compared = reports.every((report) => report.compared);
  return `${line}. Nothing is written${compared ? '' : ' and nothing compared'}: add --write.`;
}

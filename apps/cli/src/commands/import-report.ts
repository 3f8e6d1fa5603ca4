import type { ImportedLine, ImportReport } from '@escapement/formats';
import { type Context, configOf } from '../context.ts';
import type { Column } from '../output/table.ts';
import { counted, inZone } from '../output/wording.ts';

const COLUMNS: Column<ImportedLine>[] = [
  { title: 'LINE', value: ({ line }) => String(line), align: 'right' },
  { title: 'SCHEDULE', value: ({ meaning }) => meaning ?? '-' },
  { title: 'ZONE', value: ({ timeZone }) => timeZone ?? '-' },
  { title: 'NEXT RUN', value: ({ nextRun, timeZone }) => (nextRun ? inZone(nextRun, timeZone ?? 'UTC') : '-') },
  { title: 'ACTION', value: ({ action }) => action },
  { title: 'TASK', value: ({ task }) => task ?? '-' },
  {
    title: 'NOTES',
    value: ({ action, notes }) => (action === 'refused' ? 'see below' : notes.join('; ')),
    wraps: true,
  },
];

interface Shown {
  /** --strict met a bad line. */
  refusedAll: boolean;
}

export function showImport(report: ImportReport, { refusedAll }: Shown, context: Context): void {
  const { output } = context;
  const { lines, removed, source, written, compared, counts } = report;
  const common = commonNotes(lines);
  const notes = [...common.map((note) => `all lines: ${note}`), ...report.notes, ...mailNotes(report, context)];
  const shown = lines.map((line) => ({ ...line, notes: line.notes.filter((note) => !common.includes(note)) }));
  output.table({ source, written, compared, counts, lines, removed, notes }, shown, COLUMNS);
  if (output.format === 'json') return;
  const below = [
    ...lines
      .filter(({ action }) => action === 'refused')
      .map(({ line, text, notes: [why] }) => `line ${line} refused: ${text}\n    ${why}`),
    ...removed.map(
      ({ task, schedule, command, deleted }) =>
        `${deleted ? 'deleted' : 'no more in the file'}: ${task} (${schedule}: ${command})${deleted ? '' : '; --prune deletes it'}`,
    ),
    ...notes.map((note) => `note: ${note}`),
    summary(report, refusedAll),
  ];
  output.text(`\n${below.join('\n')}\n`);
}

/** Notes that stand at every task that has a zone are said once. */
function commonNotes(rows: readonly ImportedLine[]): string[] {
  const tasks = rows.filter(({ action, timeZone }) => action !== 'refused' && timeZone !== null);
  const [first] = tasks;
  if (!first || tasks.length < 2) return [];
  return first.notes.filter((note) => tasks.every(({ notes }) => notes.includes(note)));
}

/** Whom failures would be told, as far as the settings here show. */
function mailNotes({ counts }: ImportReport, context: Context): string[] {
  const config = configOf(context);
  const notes: string[] = [];
  if (counts.mailed > 0 && config.smtpUrl === undefined)
    notes.push(
      'MAILTO: no mail server is configured here, so no mail is sent; set ESCAPEMENT_SMTP_URL and ESCAPEMENT_MAIL_FROM for the schedulers',
    );
  if (counts.silent > 0 && config.notifyEmail === undefined && config.notifyWebhook === undefined)
    notes.push(
      'nobody hears of failures of lines without MAILTO: set ESCAPEMENT_NOTIFY_EMAIL or ESCAPEMENT_NOTIFY_WEBHOOK for the schedulers',
    );
  return notes;
}

function summary({ counts, source, written, compared, removed }: ImportReport, refusedAll: boolean): string {
  const pruned = removed.some(({ deleted }) => deleted);
  const parts = [
    `${counts.create} ${written ? 'created' : 'to create'}`,
    `${counts.update} ${written ? 'updated' : 'to update'}`,
    `${counts.unchanged} unchanged`,
    ...(counts.duplicate > 0 ? [`${counts.duplicate} there already`] : []),
    ...(counts.left > 0 ? [`${counts.left} not chosen`] : []),
    ...(counts.removed > 0 ? [`${counts.removed} ${pruned ? 'deleted' : 'no more in the file'}`] : []),
    `${counts.refused} refused`,
  ];
  const line = `${source}: ${parts.join(', ')}`;
  if (refusedAll) return `${line}. Nothing is written: --strict, and ${counted(counts.refused, 'bad line')}.`;
  if (written) return `${line}.`;
  return `${line}. Nothing is written${compared ? '' : ' and nothing compared'}: add --write.`;
}

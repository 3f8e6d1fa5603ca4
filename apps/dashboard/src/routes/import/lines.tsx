import { Checkbox } from '@mantine/core';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { isWritable } from './chosen.ts';
import styles from './screen.module.css';
import type { CrontabLine } from './use-crontab.ts';

const { imports: text, common } = words;
const { heads } = text;

const LINE_COLUMNS: readonly Column<CrontabLine>[] = [
  { head: heads.action, cell: ({ action }) => <span className={toneOf(action)}>{text.actions[action]}</span> },
  { head: heads.what, cell: What },
  { head: heads.schedule, cell: ({ meaning }) => meaning ?? common.none },
  { head: heads.next, cell: Next },
];

interface LinesProps {
  lines: readonly CrontabLine[];
  isChosen: (line: number) => boolean;
  onChoose: (line: number, isChosen: boolean) => void;
}

/** What becomes of each line; which of them are written. */
export function Lines({ lines, isChosen, onChoose }: LinesProps) {
  const choice: Column<CrontabLine> = {
    head: heads.line,
    cell: (each) => (
      <Checkbox
        label={each.line}
        aria-label={text.chooseLine(each.line)}
        checked={isWritable(each) && isChosen(each.line)}
        disabled={!isWritable(each)}
        onChange={(event) => onChoose(each.line, event.currentTarget.checked)}
      />
    ),
  };
  return <DataTable label={text.lines} columns={[choice, ...LINE_COLUMNS]} rows={lines} keyOf={keyOf} />;
}

/** What became of each line. */
export function WrittenLines({ lines }: Pick<LinesProps, 'lines'>) {
  const columns = [{ head: heads.line, cell: ({ line }: CrontabLine) => line }, ...LINE_COLUMNS];
  return <DataTable label={text.written} columns={columns} rows={lines} keyOf={keyOf} />;
}

const keyOf = ({ line }: CrontabLine) => String(line);

function toneOf(action: CrontabLine['action']): string {
  const tone = action === 'refused' ? styles.refused : isOver(action) ? styles.done : '';
  return `${styles.action} ${tone}`;
}

function isOver(action: CrontabLine['action']): boolean {
  return action === 'created' || action === 'updated';
}

function What({ task, text: line, notes }: CrontabLine) {
  return (
    <div className={styles.what}>
      {task === null ? null : <strong>{task}</strong>}
      <code>{line}</code>
      {notes.map((note) => (
        <span key={note} className={styles.remark}>
          {note}
        </span>
      ))}
    </div>
  );
}

function Next({ nextRun, timeZone }: CrontabLine) {
  if (nextRun === null) return common.none;
  return (
    <div>
      <Instant at={nextRun} as="both" />
      {timeZone === null ? null : <div className={styles.remark}>{timeZone}</div>}
    </div>
  );
}

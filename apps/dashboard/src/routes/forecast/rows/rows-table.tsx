import { Link } from '@tanstack/react-router';
import { toTask } from '../../../links.ts';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { durationWords } from '../../../time/durations.ts';
import { words } from '../../../words/index.ts';
import { type Past, pastOf, type Row, startsOf } from './totals.ts';

const { forecastRows: text } = words;
const { column: heads } = text;

const past = (name: keyof Past): Column<Row> => ({
  head: heads[name],
  isNumber: true,
  cell: (row) => pastOf(row)[name].toLocaleString('en'),
});

const COLUMNS: readonly Column<Row>[] = [
  ...(['succeeded', 'failed', 'missed', 'notRun'] as const).map(past),
  { head: heads.starts, isNumber: true, cell: (row) => startsOf(row)?.toLocaleString('en') ?? text.tooMany },
  { head: heads.usual, isNumber: true, cell: ({ p50Ms }) => (p50Ms === null ? null : durationWords(p50Ms)) },
];

/** The same in numbers, over the whole time before now and after it. */
export function RowsTable({ rows, by }: { rows: readonly Row[]; by: 'task' | 'key' }) {
  const name: Column<Row> = { head: heads[by], cell: (row) => <Name row={row} by={by} /> };
  return <DataTable label={text.table[by]} columns={[name, ...COLUMNS]} rows={rows} keyOf={(row) => row.name} />;
}

function Name({ row: { name, tasks }, by }: { row: Row; by: 'task' | 'key' }) {
  const [only, ...others] = tasks;
  if (by === 'task' && only) return <Link {...toTask(only.id)}>{name}</Link>;
  if (only && others.length === 0 && only.name === name) return <Link {...toTask(only.id)}>{name}</Link>;
  return (
    <>
      {name} ({tasks.map((task) => task.name).join(', ')})
    </>
  );
}

import { Link } from '@tanstack/react-router';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { dateIn, hourIn } from '../../../time/dates.ts';
import { dayWords } from '../../../words/day-words.ts';
import { words } from '../../../words/index.ts';
import type { By } from './by.ts';
import { toRunsIn } from './cell-link.tsx';
import type { Outcomes } from './outcomes.ts';

const { taskHistory: text } = words;
const { column: heads } = text;

const count = (name: 'succeeded' | 'failed' | 'skipped' | 'missed' | 'cancelled'): Column<Outcomes> => ({
  head: heads[name],
  isNumber: true,
  cell: (of) => of[name].toLocaleString('en'),
});

const COUNTS = (['succeeded', 'failed', 'skipped', 'missed', 'cancelled'] as const).map(count);

interface OutcomesTableProps {
  items: readonly Outcomes[];
  task: string;
  zone: string;
  by: By;
}

/** The latest first; without those in which nothing ended. */
export function OutcomesTable({ items, task, zone, by }: OutcomesTableProps) {
  const when: Column<Outcomes> = {
    head: heads[by],
    cell: (of) => <Link {...toRunsIn(task, of)}>{whenWords(of, zone, by)}</Link>,
  };
  return (
    <DataTable
      label={text.table[by]}
      columns={[when, ...COUNTS]}
      rows={items.toReversed()}
      keyOf={({ from }) => from}
    />
  );
}

function whenWords({ from }: Outcomes, zone: string, by: By): string {
  const atMs = Date.parse(from);
  const date = dateIn(zone, atMs);
  return by === 'day' ? dayWords(date) : text.hourOf(date, hourIn(zone, atMs));
}

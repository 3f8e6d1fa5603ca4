import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { durationWords } from '../../time/durations.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import type { Key } from './answer.ts';

type Rate = Key['rates'][number];

const { oneKey: text, fleet } = words;
const { rate: heads } = text;

const COLUMNS: readonly Column<Rate>[] = [
  { head: heads.name, cell: ({ rateKey, pool }) => text.rateOf(rateKey, pool) },
  { head: heads.limit, cell: ({ limit, perMs }) => fleet.rate(limit, durationWords(perMs)) },
  { head: heads.started, isNumber: true, cell: ({ started }) => started.toLocaleString('en') },
  { head: heads.waiting, isNumber: true, cell: ({ waiting }) => waiting.toLocaleString('en') },
  { head: heads.next, cell: ({ nextAt }) => (nextAt === null ? text.nextNow : <Instant at={nextAt} as="both" />) },
];

/** How many of its runs may start in a time; nothing, where there is no such limit. */
export function Rates({ rates }: { rates: readonly Rate[] }) {
  if (rates.length === 0) return null;
  return (
    <Panel title={text.rates} flush>
      <DataTable label={text.rates} columns={COLUMNS} rows={rates} keyOf={({ rateKey }) => rateKey} />
    </Panel>
  );
}

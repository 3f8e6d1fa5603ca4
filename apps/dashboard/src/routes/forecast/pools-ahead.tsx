import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import type { Forecast } from './answer.ts';
import styles from './screen.module.css';

type Pool = Forecast['pools'][number];

const { forecast: text, common } = words;
const { pool: heads } = text;

const COLUMNS: readonly Column<Pool>[] = [
  {
    head: heads.name,
    cell: ({ pool, capacity, p95 }) => (
      <>
        {pool}
        {capacity > 0 && p95.runs > capacity ? <div className={styles.over}>{text.over}</div> : null}
      </>
    ),
  },
  { head: heads.runs, isNumber: true, cell: ({ runs }) => runs.toLocaleString('en') },
  { head: heads.usual, isNumber: true, cell: ({ p50 }) => p50.runs.toLocaleString('en') },
  { head: heads.most, isNumber: true, cell: ({ p95 }) => p95.runs.toLocaleString('en') },
  { head: heads.at, cell: ({ p95 }) => (p95.at === null ? common.none : <Instant at={p95.at} />) },
  {
    head: heads.capacity,
    isNumber: true,
    cell: ({ capacity }) => (capacity === 0 ? text.noCapacity : capacity.toLocaleString('en')),
  },
];

/** What comes to each pool, beside what its workers take. */
export function PoolsAhead({ pools }: { pools: readonly Pool[] }) {
  if (pools.length === 0) return null;
  return (
    <Panel title={text.pools} flush>
      <DataTable label={text.pools} columns={COLUMNS} rows={pools} keyOf={({ pool }) => pool} />
    </Panel>
  );
}

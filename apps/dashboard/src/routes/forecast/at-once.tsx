import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { TableTwin } from '../../parts/table-twin.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import type { Forecast } from './answer.ts';
import { limitsOf } from './limits.ts';
import { Picture } from './picture.tsx';
import styles from './screen.module.css';

type Piece = Forecast['pieces'][number];

const { forecast: text } = words;

const COLUMNS: readonly Column<Piece>[] = [
  { head: text.column.from, cell: ({ from }) => <Instant at={from} /> },
  { head: text.column.starts, isNumber: true, cell: ({ starts }) => starts.toLocaleString('en') },
  { head: text.column.usual, isNumber: true, cell: ({ p50 }) => p50.runs.toLocaleString('en') },
  { head: text.column.most, isNumber: true, cell: ({ p95 }) => p95.runs.toLocaleString('en') },
];

/** How many runs are at work at once, over the time ahead: as a picture and as a table. `of`: the key that was asked for. */
export function AtOnce({ forecast, of, zone }: { forecast: Forecast; of: string | undefined; zone: string }) {
  const { pieces, runs, tasks, clockChanges } = forecast;
  return (
    <Panel title={text.chart} note={text.total(runs, tasks)}>
      {runs === 0 ? (
        <Empty title={text.nothing} />
      ) : (
        <>
          <Picture forecast={forecast} limits={limitsOf(forecast, of)} zone={zone} />
          <p className={styles.legend}>
            <span className={styles.usual}>{text.usual}</span>
            <span className={styles.most}>{text.atMost}</span>
            {clockChanges.length > 0 ? <span className={styles.clockMark}>{text.clockDays}</span> : null}
            <span>{text.left}</span>
          </p>
          <TableTwin>
            <DataTable label={text.table} columns={COLUMNS} rows={pieces} keyOf={({ from }) => from} />
          </TableTwin>
        </>
      )}
    </Panel>
  );
}

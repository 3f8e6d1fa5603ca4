import type { components } from '../../api/generated/openapi.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { TableTwin } from '../../parts/table-twin.tsx';
import { MINUTE } from '../../time/durations.ts';
import { Instant } from '../../time/instant.tsx';
import { shortInstant } from '../../time/instants.ts';
import { useNow } from '../../time/now.ts';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

export type Forecast = components['schemas']['Forecast'];
type Piece = Forecast['pieces'][number];

const { forecast: text } = words;
const HEIGHT = 120;
/** A piece of the picture, which is drawn as wide as there is room. */
const PITCH = 8;
const LABELS = 6;

const COLUMNS: readonly Column<Piece>[] = [
  { head: text.column.from, cell: ({ from }) => <Instant at={from} /> },
  { head: text.column.starts, isNumber: true, cell: ({ starts }) => starts.toLocaleString('en') },
  { head: text.column.usual, isNumber: true, cell: ({ p50 }) => p50.runs.toLocaleString('en') },
  { head: text.column.most, isNumber: true, cell: ({ p95 }) => p95.runs.toLocaleString('en') },
];

/** How many runs are at work at once, over the time ahead: as a picture and as a table. */
export function AtOnce({ forecast, zone }: { forecast: Forecast; zone: string }) {
  const { pieces, runs, tasks } = forecast;
  return (
    <Panel title={text.chart} note={text.total(runs, tasks)}>
      {runs === 0 ? (
        <Empty title={text.nothing} />
      ) : (
        <>
          <Picture forecast={forecast} zone={zone} />
          <p className={styles.legend}>
            <span className={styles.usual}>{text.usual}</span>
            <span className={styles.most}>{text.atMost}</span>
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

function Picture({ forecast: { pieces, pools }, zone }: { forecast: Forecast; zone: string }) {
  const now = useNow(MINUTE);
  const [only] = pools;
  // A line for one pool; those of several would be sums of what does not add up.
  const capacity = only && pools.length === 1 && only.capacity > 0 ? only : null;
  const most = Math.max(1, ...pieces.map(({ p95 }) => p95.runs), capacity?.capacity ?? 0);
  const yOf = (runs: number) => HEIGHT - (HEIGHT * runs) / most;
  const width = pieces.length * PITCH;
  const every = Math.ceil(pieces.length / LABELS);
  return (
    <figure className={styles.figure}>
      <svg className={styles.picture} viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {pieces.map(({ from, starts, p50, p95 }, index) => (
          <g key={from}>
            <title>{text.piece(shortInstant(Date.parse(from), { zone, now }), starts, p50.runs, p95.runs)}</title>
            <rect className={styles.area} x={index * PITCH} y={0} width={PITCH} height={HEIGHT} />
            <rect
              className={isOver(p95.runs, capacity?.capacity) ? styles.mostOver : styles.mostBar}
              x={index * PITCH}
              y={yOf(p95.runs)}
              width={PITCH - 1}
              height={HEIGHT - yOf(p95.runs)}
            />
            <rect
              className={isOver(p50.runs, capacity?.capacity) ? styles.usualOver : styles.usualBar}
              x={index * PITCH}
              y={yOf(p50.runs)}
              width={PITCH - 1}
              height={HEIGHT - yOf(p50.runs)}
            />
          </g>
        ))}
        {capacity ? (
          <line className={styles.capacity} x1={0} x2={width} y1={yOf(capacity.capacity)} y2={yOf(capacity.capacity)} />
        ) : null}
      </svg>
      <div className={styles.labels} aria-hidden="true">
        {pieces
          .filter((_, index) => index % every === 0)
          .map(({ from }) => (
            <span key={from}>{shortInstant(Date.parse(from), { zone, now }).replace(/:00$/, '')}</span>
          ))}
      </div>
      <figcaption className="quiet">{capacity ? text.capacity(capacity.pool, capacity.capacity) : null}</figcaption>
    </figure>
  );
}

function isOver(runs: number, capacity: number | undefined): boolean {
  return capacity !== undefined && runs > capacity;
}

import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Legend } from '../../parts/legend.tsx';
import { ShapeMark } from '../../parts/shape.tsx';
import { TableTwin } from '../../parts/table-twin.tsx';
import { toneClass } from '../../parts/tones.ts';
import { hasEnded } from '../../states.ts';
import { durationWords, SECOND } from '../../time/durations.ts';
import { Instant } from '../../time/instant.tsx';
import { useOfNow } from '../../time/now.ts';
import { words } from '../../words/index.ts';
import type { RunDescription } from './answer.ts';
import styles from './timeline.module.css';
import { type Row, type Timeline, timelineOf, type WaitKind } from './timeline.ts';

const { timeline: text, ...runText } = words.run;
/** As high as a label beside it. */
const ROW = 24;
const BAR = 12;
const LINE = 4;
/** Of the whole, in percent: what took a moment is seen. */
const LEAST = 0.8;
/** Of more tries than that, the latest are drawn. The table has all. */
const MOST = 30;

/** The tries of a run as a picture: what was waited for each, how long it took, and how it went. */
export function TimelinePicture({ run }: { run: RunDescription }) {
  const isOver = hasEnded(run.state);
  // What is over is drawn once.
  const now = useOfNow((at) => (isOver ? 0 : at - (at % SECOND)));
  const timeline = timelineOf(run, now);
  if (timeline === null) return null;
  const rows = timeline.rows.slice(-MOST);
  return (
    <figure className={styles.figure} aria-label={text.label}>
      <div className={styles.picture} aria-hidden="true">
        <ul className={styles.labels}>
          {rows.map((row) => (
            <Label key={row.attempt ?? 'next'} row={row} />
          ))}
        </ul>
        <svg className={styles.lanes} height={rows.length * ROW} aria-hidden="true" focusable="false">
          {rows.map((row, index) => (
            <Lane key={row.attempt ?? 'next'} row={row} y={index * ROW + ROW / 2} timeline={timeline} />
          ))}
          <NowLine timeline={timeline} />
        </svg>
        <p className={styles.axis}>
          <Instant at={new Date(timeline.fromMs).toISOString()} />
          {timeline.nowMs === timeline.toMs ? (
            <span>{text.now}</span>
          ) : (
            <Instant at={new Date(timeline.toMs).toISOString()} />
          )}
        </p>
      </div>
      <Legend keys={kindsIn(rows).map((kind) => ({ sample: <Sample kind={kind} />, said: text.kinds[kind] }))} />
      {timeline.rows.length > MOST ? <p className="quiet">{text.latest(MOST, timeline.rows.length)}</p> : null}
      <TableTwin>
        <Twin timeline={timeline} />
      </TableTwin>
    </figure>
  );
}

const KINDS: readonly WaitKind[] = ['queued', 'pause'];

function kindsIn(rows: readonly Row[]): WaitKind[] {
  return KINDS.filter((kind) => rows.some(({ waits }) => waits.some((wait) => wait.kind === kind)));
}

function Label({ row: { attempt, bar } }: { row: Row }) {
  return (
    <li className={bar ? toneClass(bar.look.tone) : 'quiet'}>
      {bar ? (
        <span className={styles.mark}>
          <ShapeMark shape={bar.look.shape} size={12} />
        </span>
      ) : null}
      {attempt === null ? text.next : runText.attempt(attempt)}
    </li>
  );
}

function Lane({ row: { waits, bar }, y, timeline }: { row: Row; y: number; timeline: Timeline }) {
  return (
    <>
      {waits.map(({ kind, fromMs, toMs }) => (
        <line
          key={kind}
          className={styles[kind]}
          x1={percent(fromMs, timeline)}
          x2={percent(toMs, timeline)}
          y1={y}
          y2={y}
        >
          <title>{text.took(text.kinds[kind], durationWords(toMs - fromMs))}</title>
        </line>
      ))}
      {bar ? (
        <rect
          className={`${styles.bar} ${toneClass(bar.look.tone)} ${bar.isOpen ? styles.open : ''}`}
          {...placeOf(bar, timeline)}
          y={y - BAR / 2}
          height={BAR}
          rx="2"
        >
          <title>{text.took(bar.look.words, durationWords(bar.toMs - bar.fromMs))}</title>
        </rect>
      ) : null}
    </>
  );
}

function NowLine({ timeline }: { timeline: Timeline }) {
  if (timeline.nowMs === null) return null;
  const x = percent(timeline.nowMs, timeline);
  return <line className={styles.now} x1={x} x2={x} y1="0" y2="100%" />;
}

function Sample({ kind }: { kind: WaitKind }) {
  return (
    <svg width="20" height={BAR} aria-hidden="true" focusable="false">
      <line className={styles[kind]} x1="0" x2="20" y1={BAR / 2} y2={BAR / 2} strokeWidth={LINE} />
    </svg>
  );
}

function shareOf(ms: number, { fromMs, toMs }: Timeline): number {
  return toMs === fromMs ? 0 : (100 * (ms - fromMs)) / (toMs - fromMs);
}

function percent(ms: number, timeline: Timeline): string {
  return `${shareOf(ms, timeline)}%`;
}

/** Not beyond the end, however short it was. */
function placeOf({ fromMs, toMs }: { fromMs: number; toMs: number }, timeline: Timeline) {
  const width = Math.max(LEAST, shareOf(toMs, timeline) - shareOf(fromMs, timeline));
  return { x: `${Math.min(shareOf(fromMs, timeline), 100 - width)}%`, width: `${width}%` };
}

interface Part {
  id: string;
  what: string;
  said: string;
  fromMs: number;
  toMs: number;
}

const COLUMNS: readonly Column<Part>[] = [
  { head: text.columns.what, cell: ({ what }) => what },
  { head: text.columns.state, cell: ({ said }) => said },
  { head: text.columns.from, cell: ({ fromMs }) => <Instant at={new Date(fromMs).toISOString()} /> },
  { head: text.columns.took, cell: ({ fromMs, toMs }) => durationWords(toMs - fromMs), isNumber: true },
];

function Twin({ timeline }: { timeline: Timeline }) {
  return (
    <DataTable label={text.label} columns={COLUMNS} rows={timeline.rows.flatMap(partsOf)} keyOf={({ id }) => id} />
  );
}

function partsOf({ attempt, waits, bar }: Row): Part[] {
  const what = attempt === null ? text.next : runText.attempt(attempt);
  return [
    ...waits.map(({ kind, ...times }) => ({ id: `${attempt} ${kind}`, what, said: text.kinds[kind], ...times })),
    ...(bar ? [{ id: `${attempt}`, what, said: bar.look.words, fromMs: bar.fromMs, toMs: bar.toMs }] : []),
  ];
}

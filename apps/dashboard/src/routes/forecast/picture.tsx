import { useMemo } from 'react';
import { MINUTE } from '../../time/durations.ts';
import { shortInstant } from '../../time/instants.ts';
import { useNow } from '../../time/now.ts';
import { words } from '../../words/index.ts';
import type { Forecast } from './answer.ts';
import { clockDaysOf, dayWords, ticksOf } from './axis.ts';
import type { Limit } from './limits.ts';
import styles from './screen.module.css';

type Piece = Forecast['pieces'][number];

const { forecast: text } = words;
const HEIGHT = 120;
/** A piece of the picture, which is drawn as wide as there is room. */
const PITCH = 8;

interface PictureProps {
  forecast: Forecast;
  limits: readonly Limit[];
  zone: string;
}

/** What is at work at once, piece by piece; limits as lines, days in which a clock changes as another ground. */
export function Picture({ forecast: { pieces, clockChanges }, limits, zone }: PictureProps) {
  const now = useNow(MINUTE);
  const ticks = useMemo(() => ticksOf(pieces, zone), [pieces, zone]);
  const days = useMemo(() => clockDaysOf(pieces, clockChanges, zone), [pieces, clockChanges, zone]);
  const limit = limits.length === 0 ? null : Math.min(...limits.map(({ runs }) => runs));
  const most = Math.max(1, ...pieces.map(({ p95 }) => p95.runs), ...limits.map(({ runs }) => runs));
  const yOf = (runs: number) => HEIGHT - (HEIGHT * runs) / most;
  const width = pieces.length * PITCH;
  return (
    <figure className={styles.figure}>
      <svg className={styles.picture} viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <ClockGround days={days} />
        {ticks.map(({ index }) => (
          <line key={index} className={styles.tick} x1={index * PITCH} x2={index * PITCH} y1={0} y2={HEIGHT} />
        ))}
        {pieces.map((piece, index) => {
          const when = shortInstant(Date.parse(piece.from), { zone, now });
          return <Bars key={piece.from} piece={piece} when={when} x={index * PITCH} yOf={yOf} limit={limit} />;
        })}
        {limits.map(({ runs, words: said }) => (
          <line key={said} className={styles.capacity} x1={0} x2={width} y1={yOf(runs)} y2={yOf(runs)} />
        ))}
      </svg>
      <div className={styles.labels} aria-hidden="true">
        {ticks.map(({ index, label }) => (
          <span key={index} style={{ left: `${(100 * index) / pieces.length}%` }}>
            {label}
          </span>
        ))}
      </div>
      <figcaption className={styles.caption}>
        {[...limits.map(({ words: said }) => said), ...days.map(({ date }) => text.clockDay(dayWords(date)))].join(
          '; ',
        )}
      </figcaption>
    </figure>
  );
}

/** Hatched, so that it is not told by its colour alone. */
function ClockGround({ days }: { days: ReturnType<typeof clockDaysOf> }) {
  return (
    <>
      <pattern id="clock-day" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect className={styles.clockLine} width="2" height="6" />
      </pattern>
      {days.map(({ date, from, to }) => (
        <rect key={date} x={from * PITCH} y={0} width={(to - from) * PITCH} height={HEIGHT} fill="url(#clock-day)">
          <title>{text.clockDay(dayWords(date))}</title>
        </rect>
      ))}
    </>
  );
}

interface BarsProps {
  piece: Piece;
  when: string;
  x: number;
  yOf: (runs: number) => number;
  limit: number | null;
}

function Bars({ piece: { starts, p50, p95 }, when, x, yOf, limit }: BarsProps) {
  const isOver = (runs: number) => limit !== null && runs > limit;
  const bar = { x, width: PITCH - 1 };
  return (
    <g>
      <title>{text.piece(when, starts, p50.runs, p95.runs)}</title>
      <rect className={styles.area} x={x} y={0} width={PITCH} height={HEIGHT} />
      <rect
        {...bar}
        className={isOver(p95.runs) ? styles.mostOver : styles.mostBar}
        y={yOf(p95.runs)}
        height={HEIGHT - yOf(p95.runs)}
      />
      <rect
        {...bar}
        className={isOver(p50.runs) ? styles.usualOver : styles.usualBar}
        y={yOf(p50.runs)}
        height={HEIGHT - yOf(p50.runs)}
      />
    </g>
  );
}

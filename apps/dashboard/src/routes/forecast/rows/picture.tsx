import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { runsIn, runsPath, toRuns, toTask } from '../../../links.ts';
import { ShapeMark } from '../../../parts/shape.tsx';
import { toneClass } from '../../../parts/tones.ts';
import { useNarrow } from '../../../parts/use-narrow.ts';
import { useOpen } from '../../../parts/use-open.ts';
import { shortInstant } from '../../../time/instants.ts';
import { words } from '../../../words/index.ts';
import { condense } from './condense.ts';
import styles from './rows.module.css';
import { heightsOf, lookOf, type Past, type Row, type Rows } from './totals.ts';

const { forecastRows: text } = words;

/** Pieces of each side on a telephone: as wide as a finger finds, and as a mark needs. */
const NARROW = 8;

interface PictureProps {
  of: Rows;
  by: 'task' | 'key';
  zone: string;
}

/** Each row has the same pieces before now as after it. */
export const Picture = memo(function Picture({ of, by, zone }: PictureProps) {
  const isNarrow = useNarrow();
  const { rows, past, ahead, now } = isNarrow ? condense(of, NARROW) : of;
  const nowMs = Date.parse(now);
  const whenOf = (at: string) => shortInstant(Date.parse(at), { zone, now: nowMs }).replace(/:00$/, '');
  const whens = { past: past.map(whenOf), ahead: ahead.map(whenOf) };
  return (
    <div className={styles.rows} aria-hidden="true">
      <div className={styles.row}>
        <span />
        <div className={styles.ends}>
          <span>{whens.past[0]}</span>
          <span>{text.now}</span>
          <span>{whens.ahead.at(-1)}</span>
        </div>
      </div>
      {rows.map((row) => (
        <div key={row.name} className={styles.row}>
          <Name row={row} />
          <div className={styles.time}>
            <div className={styles.side}>
              {row.past.map((piece, index) => (
                <Was
                  key={past[index]}
                  piece={piece}
                  when={whens.past[index] ?? ''}
                  runs={runsIn(by, row.name, { from: past[index] ?? now, to: past[index + 1] ?? now })}
                />
              ))}
            </div>
            <div className={`${styles.side} ${styles.ahead}`}>
              {heightsOf(row, ahead.length).map((height, index) => (
                <span
                  key={ahead[index]}
                  className={styles.cell}
                  title={row.ahead ? text.aheadCell(whens.ahead[index] ?? '', row.ahead[index] ?? 0) : text.tooMany}
                >
                  <span className={styles.starts} style={{ height: `${Math.round(100 * height)}%` }} />
                </span>
              ))}
            </div>
          </div>
        </div>
      ))}
    </div>
  );
});

/** By keyboard and for readers of screens the same links are in the table. */
function Name({ row: { name, tasks } }: { row: Row }) {
  const [only, ...others] = tasks;
  return (
    <span className={`${styles.name} cut`} title={name}>
      {only && others.length === 0 ? (
        <Link {...toTask(only.id)} tabIndex={-1}>
          {name}
        </Link>
      ) : (
        name
      )}
    </span>
  );
}

/** It leads to its runs, if it has some. */
function Was({ piece, when, runs }: { piece: Past; when: string; runs: string }) {
  const open = useOpen();
  const look = lookOf(piece);
  const title = text.pastCell(when, piece);
  if (look === null) return <span className={styles.cell} title={title} />;
  return (
    <a
      href={runsPath(runs)}
      tabIndex={-1}
      className={`${styles.cell} ${toneClass(look.tone)} ${look.hollow ? styles.hollow : styles.full}`}
      title={title}
      onClick={(event) => open(event, toRuns(runs))}
    >
      {look.shape === 'check' ? null : <ShapeMark shape={look.shape} size={10} />}
    </a>
  );
}

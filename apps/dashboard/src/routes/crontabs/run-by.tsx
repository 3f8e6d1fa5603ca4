import { nowMs } from '../../clock.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import type { Line } from './crontab.ts';
import styles from './screen.module.css';

const { crontabs: text } = words;

/** Who runs the line now, from when on another one does, and what its host has said of that. */
export function RunBy({ line: { side, cutover } }: { line: Line }) {
  return (
    <>
      <span className={side === 'unknown' ? styles.unknown : undefined}>{text.sides[side]}</span>
      {cutover === null ? null : <Changes cutover={cutover} />}
    </>
  );
}

function Changes({ cutover: { state, host, to, at } }: { cutover: NonNullable<Line['cutover']> }) {
  if (state === 'refused') return <div className={styles.small}>{text.hasRefused(host)}</div>;
  const isPast = Date.parse(at) <= nowMs();
  return (
    <div className={styles.small}>
      {isPast && state === 'taken' ? text.hasHad(to) : text.changesTo(to)} <Instant at={at} />
      {isPast && state === 'taken' ? null : (
        <div>{state === 'proposed' ? text.isAsked(host) : text.hasAgreed(host)}</div>
      )}
    </div>
  );
}

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

type Cutover = NonNullable<Line['cutover']>;

function Changes({ cutover }: { cutover: Cutover }) {
  const { state, to, at } = cutover;
  if (state === 'refused') return <div className={styles.small}>{wordOf(cutover)}</div>;
  const isOver = state === 'taken' && Date.parse(at) <= nowMs();
  return (
    <div className={styles.small}>
      {isOver ? text.hasHad(to) : text.changesTo(to)} <Instant at={at} />
      {isOver && isByHostAlone(cutover) ? null : <div>{wordOf(cutover)}</div>}
    </div>
  );
}

/** Nobody has said anything else in its place. */
function isByHostAlone({ settled, answer }: Cutover): boolean {
  return answer !== null && (settled === null || settled === answer);
}

function wordOf(cutover: Cutover): string {
  const { state, host, settled, settledBy, answer } = cutover;
  if (state === 'proposed') return text.isAsked(host);
  if (answer === null) return text.wasSettled(settledBy ?? '', host, settled ?? state);
  if (!isByHostAlone(cutover)) return text.saysOtherwise(host, settledBy ?? '');
  return state === 'taken' ? text.hasAgreed(host) : text.hasRefused(host);
}

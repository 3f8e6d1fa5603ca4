import { useLive } from '../api/live/live.tsx';
import { fullInstant, shortInstant } from '../time/instants.ts';
import { useNow } from '../time/now.ts';
import { useZone } from '../time/zone.ts';
import { words } from '../words/index.ts';
import styles from './live-badge.module.css';
import { useIdle } from './use-idle.ts';

const { live, asOf: asOfWords, pause: toPause, resume: toResume } = words.shell;

/** Whether what is seen is what is: live, paused, reconnecting, and as of when. A click pauses and goes on. */
export function LiveBadge() {
  const { kind, asOf, pause, resume } = useLive();
  // The first time that a browser is asked for a time of a zone costs more than all else in the bar.
  const isIdle = useIdle();
  const isPaused = kind === 'paused';
  return (
    <button
      type="button"
      className={styles.badge}
      data-kind={kind}
      onClick={isPaused ? resume : pause}
      title={isPaused ? toResume : toPause}
    >
      <span className={styles.dot} aria-hidden="true" />
      <span className={styles.kind}>{live[kind]}</span>
      {asOf === null || !isIdle ? null : <AsOf asOf={asOf} isLive={kind === 'live'} />}
    </button>
  );
}

function AsOf({ asOf, isLive }: { asOf: number; isLive: boolean }) {
  const now = useNow();
  const zone = useZone();
  return (
    <span className={`${styles.of} figures`} title={`${asOfWords} ${fullInstant(asOf, zone)}`}>
      {asOfWords} {shortInstant(isLive ? Math.max(asOf, now) : asOf, { zone, now })}
    </span>
  );
}

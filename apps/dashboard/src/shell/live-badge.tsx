import { useLive } from '../api/live/live.tsx';
import { fullInstant, shortInstant } from '../time/instants.ts';
import { useNow } from '../time/now.ts';
import { useZone } from '../time/zone.ts';
import { words } from '../words/index.ts';
import styles from './live-badge.module.css';

/** Whether what is seen is what is: live, paused, reconnecting, and as of when. A click pauses and goes on. */
export function LiveBadge() {
  const { kind, asOf, pause, resume } = useLive();
  const now = useNow();
  const zone = useZone();
  const { live, asOf: asOfWords } = words.shell;
  const isPaused = kind === 'paused';
  return (
    <button
      type="button"
      className={styles.badge}
      data-kind={kind}
      onClick={isPaused ? resume : pause}
      title={`${isPaused ? words.shell.resume : words.shell.pause}${asOf === null ? '' : `; ${asOfWords} ${fullInstant(asOf, zone)}`}`}
    >
      <span className={styles.dot} aria-hidden="true" />
      <span className={styles.kind}>{live[kind]}</span>
      {asOf === null ? null : (
        <span className={`${styles.of} figures`}>
          {asOfWords} {shortInstant(kind === 'live' ? Math.max(asOf, now) : asOf, { zone, now })}
        </span>
      )}
    </button>
  );
}

import { useLive } from '../api/live/live.tsx';
import { Note } from '../parts/note.tsx';
import { Instant } from '../time/instant.tsx';
import { words } from '../words/index.ts';
import styles from './away-note.module.css';

/** Says that what is seen is old while nobody answers. */
export function AwayNote() {
  const { kind, asOf } = useLive();
  if (kind !== 'reconnecting') return null;
  return (
    <div className={styles.away}>
      <Note tone="attention" shape="clock" title={words.common.away} role="status">
        <span>
          {words.common.awayFix} {asOf === null ? null : <>{words.shell.asOf} </>}
          {asOf === null ? null : <Instant at={new Date(asOf).toISOString()} as="both" />}
        </span>
      </Note>
    </div>
  );
}

import { MINUTE } from '../../time/durations.ts';
import { shortInstant } from '../../time/instants.ts';
import { useNow } from '../../time/now.ts';
import { useZone } from '../../time/zone.ts';
import { words } from '../../words/index.ts';
import type { ErrorGroup } from './answer.ts';
import { type Bin, binsOf } from './bins.ts';
import styles from './screen.module.css';

const { errors: text } = words;
const PITCH = 5;
const HEIGHT = 32;
/** What has failed once is seen. */
const LEAST = 3;

/** Failures in time, as bars. */
export function Hours({ hours, spanMs }: { hours: ErrorGroup['hours']; spanMs: number }) {
  const now = useNow(MINUTE);
  const zone = useZone(null);
  const bins = binsOf(hours, { spanMs, now });
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const said = ({ fromMs, count }: Bin) => text.hour(shortInstant(fromMs, { zone, now }), count);
  return (
    <>
      <span className="unseen">{text.hours(bins.filter(({ count }) => count > 0).map(said))}</span>
      <svg className={styles.hours} width={bins.length * PITCH} height={HEIGHT} aria-hidden="true" focusable="false">
        <line className={styles.ground} x1="0" x2={bins.length * PITCH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
        {bins.map((bin, index) => {
          if (bin.count === 0) return null;
          const height = LEAST + ((HEIGHT - LEAST) * bin.count) / most;
          return (
            <rect key={bin.fromMs} x={index * PITCH} y={HEIGHT - height} width={PITCH - 1} height={height}>
              <title>{said(bin)}</title>
            </rect>
          );
        })}
      </svg>
    </>
  );
}

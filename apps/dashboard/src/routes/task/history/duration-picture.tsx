import { memo } from 'react';
import { durationWords } from '../../../time/durations.ts';
import { dayWords, shortDay } from '../../../words/day-words.ts';
import { words } from '../../../words/index.ts';
import styles from './durations.module.css';
import { type DayTimes, everyDay, SHARES, stepsOf } from './series.ts';

const { taskDurations: text } = words;
const HEIGHT = 96;
/** Of a day, in a picture that is drawn as wide as there is room. */
const PITCH = 8;

/** From the first day of which it is known up to today. The lines are told apart by their strokes. */
export const DurationPicture = memo(function DurationPicture({ times, today }: { times: DayTimes[]; today: string }) {
  const first = times[0]?.date ?? today;
  const days = everyDay(times, first, today);
  const mostMs = Math.max(1, ...times.map(({ p99 }) => p99));
  const width = days.length * PITCH;
  const scale = { pitch: PITCH, height: HEIGHT, mostMs };
  return (
    <figure className={styles.figure} aria-hidden="true">
      <span>{text.most(durationWords(mostMs))}</span>
      <svg className={styles.picture} viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {SHARES.map((share) => (
          <path key={share} className={styles[share]} d={stepsOf(days, share, scale)} />
        ))}
        {days.map((day, index) =>
          day === null ? null : (
            <rect key={day.date} className={styles.area} x={index * PITCH} y={0} width={PITCH} height={HEIGHT}>
              <title>{titleOf(day)}</title>
            </rect>
          ),
        )}
      </svg>
      <div className={styles.ends}>
        <span>{shortDay(first)}</span>
        <span>{shortDay(today)}</span>
      </div>
      <figcaption className={styles.legend}>
        {SHARES.map((share) => (
          <span key={share} className={styles.key}>
            <svg width="24" height="8" aria-hidden="true">
              <path className={styles[share]} d="M0 4H24" />
            </svg>
            {text.shares[share]}
          </span>
        ))}
        <span>{text.meaning}</span>
      </figcaption>
    </figure>
  );
});

function titleOf({ date, p50, p95, p99 }: DayTimes): string {
  return text.day(dayWords(date), durationWords(p50), durationWords(p95), durationWords(p99));
}

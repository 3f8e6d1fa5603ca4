import { ShapeMark } from '../../../parts/shape.tsx';
import { toneClass } from '../../../parts/tones.ts';
import { RUN_LOOKS } from '../../../states.ts';
import { words } from '../../../words/index.ts';
import styles from './rows.module.css';

const { legend } = words.forecastRows;

const MEANINGS = [
  { look: RUN_LOOKS.failed, said: legend.failed },
  { look: RUN_LOOKS.missed, said: legend.missed },
  { look: RUN_LOOKS.succeeded, said: legend.succeeded },
];

/** What the cells mean: without a mark all went well. */
export function Legend() {
  return (
    <p className={styles.legend} aria-hidden="true">
      {MEANINGS.map(({ look: { tone, shape, hollow }, said }) => (
        <span key={said} className={styles.key}>
          <span className={`${styles.sample} ${toneClass(tone)} ${hollow ? styles.hollow : styles.full}`}>
            {shape === 'check' ? null : <ShapeMark shape={shape} size={10} />}
          </span>
          {said}
        </span>
      ))}
      <span className={styles.key}>
        <span className={styles.sample}>
          <span className={styles.starts} style={{ height: '70%' }} />
        </span>
        {legend.ahead}
      </span>
    </p>
  );
}

import { ShapeMark } from '../../../parts/shape.tsx';
import { toneClass } from '../../../parts/tones.ts';
import { RUN_LOOKS } from '../../../states.ts';
import { words } from '../../../words/index.ts';
import styles from './history.module.css';

const { legend } = words.taskHistory;

const MEANINGS = [
  { look: RUN_LOOKS.failed, said: legend.failed },
  { look: RUN_LOOKS.missed, said: legend.missed },
  { look: RUN_LOOKS.succeeded, said: legend.succeeded },
  { look: RUN_LOOKS.skipped, said: legend.notRun },
];

/** What the marks of the grids mean. */
export function Legend() {
  return (
    <p className={styles.legend} aria-hidden="true">
      {MEANINGS.map(({ look: { tone, shape, hollow }, said }) => (
        <span key={said} className={`${styles.key} ${toneClass(tone)}`}>
          <span className={`${styles.sample} ${hollow ? styles.hollow : styles.full}`}>
            <ShapeMark shape={shape} size={12} />
          </span>
          {said}
        </span>
      ))}
    </p>
  );
}

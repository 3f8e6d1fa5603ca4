import { Legend } from '../../../parts/legend.tsx';
import { ShapeMark } from '../../../parts/shape.tsx';
import { toneClass } from '../../../parts/tones.ts';
import { type Look, RUN_LOOKS } from '../../../states.ts';
import { words } from '../../../words/index.ts';
import styles from './rows.module.css';

const { legend } = words.forecastRows;

const KEYS = [
  { sample: sampleOf(RUN_LOOKS.failed), said: legend.failed },
  { sample: sampleOf(RUN_LOOKS.missed), said: legend.missed },
  { sample: sampleOf(RUN_LOOKS.succeeded), said: legend.succeeded },
  {
    sample: (
      <span className={styles.sample}>
        <span className={styles.starts} style={{ height: '70%' }} />
      </span>
    ),
    said: legend.ahead,
  },
];

/** What the cells mean: without a mark all went well. */
export function RowsLegend() {
  return <Legend keys={KEYS} />;
}

function sampleOf({ tone, shape, hollow }: Look) {
  return (
    <span className={`${styles.sample} ${toneClass(tone)} ${hollow ? styles.hollow : styles.full}`}>
      {shape === 'check' ? null : <ShapeMark shape={shape} size={10} />}
    </span>
  );
}

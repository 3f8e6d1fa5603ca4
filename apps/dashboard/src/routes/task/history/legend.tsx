import { Legend } from '../../../parts/legend.tsx';
import { ShapeMark } from '../../../parts/shape.tsx';
import { toneClass } from '../../../parts/tones.ts';
import { type Look, RUN_LOOKS } from '../../../states.ts';
import { words } from '../../../words/index.ts';
import styles from './history.module.css';

const { legend } = words.taskHistory;

const KEYS = [
  { sample: sampleOf(RUN_LOOKS.failed), said: legend.failed },
  { sample: sampleOf(RUN_LOOKS.missed), said: legend.missed },
  { sample: sampleOf(RUN_LOOKS.succeeded), said: legend.succeeded },
  { sample: sampleOf(RUN_LOOKS.skipped), said: legend.notRun },
];

/** What the marks of the grids mean. */
export function HistoryLegend() {
  return <Legend keys={KEYS} />;
}

function sampleOf({ tone, shape, hollow }: Look) {
  return (
    <span className={`${styles.sample} ${toneClass(tone)} ${hollow ? styles.hollow : styles.full}`}>
      <ShapeMark shape={shape} size={12} />
    </span>
  );
}

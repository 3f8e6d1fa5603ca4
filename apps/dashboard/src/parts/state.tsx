import { type Look, RUN_LOOKS, type RunState, TASK_LOOKS, type TaskState } from '../states.ts';
import { ShapeMark } from './shape.tsx';
import styles from './state.module.css';
import { toneClass } from './tones.ts';

export function RunStateMark({ state }: { state: RunState }) {
  return <StateMark look={RUN_LOOKS[state]} />;
}

export function TaskStateMark({ state }: { state: TaskState }) {
  return <StateMark look={TASK_LOOKS[state]} />;
}

/** A state by colour, shape and word. */
export function StateMark({ look: { tone, shape, words, hollow = false } }: { look: Look }) {
  return (
    <span className={`${styles.state} ${toneClass(tone)} ${hollow ? styles.hollow : ''}`}>
      <ShapeMark shape={shape} size={12} />
      {words}
    </span>
  );
}

import { Link } from '@tanstack/react-router';
import { toTasks } from '../../links.ts';
import { ShapeMark } from '../../parts/shape.tsx';
import { toneClass } from '../../parts/tones.ts';
import { TASK_LOOKS } from '../../states.ts';
import { words } from '../../words/index.ts';
import styles from './filter.module.css';
import { TASK_STATES, type TasksSearch } from './search.ts';

/** The states of tasks: each shows those alone. */
export function States({ search }: { search: TasksSearch }) {
  const { all, states } = words.tasks;
  return (
    <ul className={styles.states} aria-label={states}>
      <li>
        <Link
          {...toTasks({ ...search, state: undefined })}
          className={styles.state}
          aria-current={search.state === undefined}
          activeOptions={{ exact: true }}
        >
          {all}
        </Link>
      </li>
      {TASK_STATES.map((state) => {
        const { tone, shape, words: name } = TASK_LOOKS[state];
        return (
          <li key={state}>
            <Link
              {...toTasks({ ...search, state })}
              className={`${styles.state} ${toneClass(tone)}`}
              aria-current={search.state === state}
              activeOptions={{ exact: true }}
            >
              <ShapeMark shape={shape} size={12} />
              {name}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

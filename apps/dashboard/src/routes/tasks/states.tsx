import { toTasks } from '../../links.ts';
import { Chip, Chips } from '../../parts/chips.tsx';
import { TASK_LOOKS } from '../../states.ts';
import { words } from '../../words/index.ts';
import { TASK_STATES, type TasksSearch } from './search.ts';

/** The states of tasks: each shows those alone. */
export function States({ search }: { search: TasksSearch }) {
  const { all, states } = words.tasks;
  return (
    <Chips label={states}>
      <Chip link={toTasks({ ...search, state: undefined })} isChosen={search.state === undefined}>
        {all}
      </Chip>
      {TASK_STATES.map((state) => (
        <Chip
          key={state}
          link={toTasks({ ...search, state })}
          isChosen={search.state === state}
          look={TASK_LOOKS[state]}
        >
          {TASK_LOOKS[state].words}
        </Chip>
      ))}
    </Chips>
  );
}

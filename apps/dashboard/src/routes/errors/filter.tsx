import { Select } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { toErrors } from '../../links.ts';
import { Chip, Chips } from '../../parts/chips.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';
import { type ErrorsSearch, SHOWN, SINCES, sinceOf } from './search.ts';

const { errors: text } = words;

/** Since when, in which state, and of which task. */
export function Filter({ search }: { search: ErrorsSearch }) {
  const navigate = useNavigate();
  const { shown = 'open', task } = search;
  return (
    <search className={styles.filter}>
      <Select
        w={180}
        aria-label={text.since}
        data={SINCES.map((value) => ({ value, label: text.sinces[value] }))}
        value={sinceOf(search)}
        onChange={(value) => {
          const since = SINCES.find((each) => each === value);
          void navigate({ ...toErrors({ ...search, since }), replace: true });
        }}
        allowDeselect={false}
        withScrollArea={false}
      />
      <Chips label={text.states}>
        {SHOWN.map((each) => (
          <Chip
            key={each}
            link={toErrors({ ...search, shown: each === 'open' ? undefined : each })}
            isChosen={each === shown}
          >
            {text.shown[each]}
          </Chip>
        ))}
        {task === undefined ? null : (
          <Chip link={toErrors({ ...search, task: undefined })} isChosen>
            {text.notTask(task)}
          </Chip>
        )}
      </Chips>
    </search>
  );
}

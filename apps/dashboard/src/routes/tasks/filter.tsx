import { Select } from '@mantine/core';
import { FindField } from '../../parts/find-field.tsx';
import { PoolField } from '../../parts/pool-field.tsx';
import { words } from '../../words/index.ts';
import styles from './filter.module.css';
import { SORTS, type TasksSearch } from './search.ts';

const { tasks: text } = words;

interface FilterProps {
  search: TasksSearch;
  onSearch: (change: TasksSearch) => void;
}

/** Finds tasks while one types, of a pool, in an order. */
export function Filter({ search, onSearch }: FilterProps) {
  return (
    <search className={styles.filter}>
      <FindField
        className={styles.name ?? ''}
        label={text.find}
        title={text.findHelp}
        value={search.name ?? ''}
        onValue={(name) => onSearch({ name: name === '' ? undefined : name })}
      />
      <PoolField pool={search.pool ?? null} onPool={(pool) => onSearch({ pool: pool ?? undefined })} />
      <Select
        w={160}
        aria-label={text.sort}
        data={SORTS.map((value) => ({ value, label: text.sorts[value] }))}
        value={search.sort ?? 'name'}
        onChange={(value) => {
          const sort = SORTS.find((each) => each === value);
          onSearch({ sort: sort === 'name' ? undefined : sort });
        }}
        allowDeselect={false}
        withScrollArea={false}
      />
    </search>
  );
}

import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { SHORTCUTS } from '../../keyboard/shortcuts.ts';
import { useShortcuts } from '../../keyboard/use-shortcuts.ts';
import { PoolField } from '../../parts/pool-field.tsx';
import { words } from '../../words/index.ts';
import styles from './filter.module.css';
import { SORTS, type TasksSearch } from './search.ts';

const { tasks: text } = words;
const TYPING_MS = 200;
const MOST_LETTERS = 200;

interface FilterProps {
  search: TasksSearch;
  onSearch: (change: TasksSearch) => void;
}

/** Finds tasks while one types, of a pool, in an order. */
export function Filter({ search, onSearch }: FilterProps) {
  return (
    <search className={styles.filter}>
      <NameField name={search.name ?? ''} onName={(name) => onSearch({ name: name === '' ? undefined : name })} />
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

function NameField({ name, onName }: { name: string; onName: (name: string) => void }) {
  const [typed, setTyped] = useState(name);
  const told = useRef(name);
  const field = useRef<HTMLInputElement>(null);
  const tell = useDebouncedCallback((next: string) => {
    told.current = next;
    onName(next);
  }, TYPING_MS);
  useEffect(() => {
    // What one has typed comes back as the address; only another address, as by the back button, changes the field.
    if (name === told.current) return;
    told.current = name;
    setTyped(name);
  }, [name]);
  useShortcuts({ search: () => field.current?.focus() });
  return (
    <TextInput
      ref={field}
      className={styles.name ?? ''}
      type="search"
      aria-label={text.find}
      placeholder={text.find}
      title={`${text.findHelp} (${SHORTCUTS.search.keys})`}
      value={typed}
      maxLength={MOST_LETTERS}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        tell(event.currentTarget.value.trim());
      }}
      onKeyDown={(event) => (event.key === 'Escape' ? field.current?.blur() : undefined)}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

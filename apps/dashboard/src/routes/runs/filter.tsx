import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { get } from '../../api/get.ts';
import { SHORTCUTS } from '../../keyboard/shortcuts.ts';
import { useShortcuts } from '../../keyboard/use-shortcuts.ts';
import { words } from '../../words/index.ts';
import { type Completion, completed, completions } from './complete.ts';
import styles from './filter.module.css';
import { QueryProblem } from './query-problem.tsx';
import { termAt } from './query-text.ts';

interface FilterProps {
  query: string;
  onQuery: (query: string) => void;
  /** What the API says of the query. */
  error: unknown;
}

/** The query of a list of runs, completed while it is typed. It is asked for by Enter. */
export function Filter({ query, onQuery, error }: FilterProps) {
  const [text, setText] = useState(query);
  const [place, setPlace] = useState<number | null>(null);
  const [at, setAt] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  useEffect(() => setText(query), [query]);
  useShortcuts({ search: () => field.current?.focus() });
  const options = useCompletions(text, place);
  const take = (option: Completion) => {
    const next = completed(text, place ?? text.length, option);
    setText(next.query);
    setPlace(next.place);
    setAt(-1);
    field.current?.focus();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setPlace(null);
    onQuery(text.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = options[at];
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, options.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, -1));
    else if ((event.key === 'Enter' || event.key === 'Tab') && chosen) take(chosen);
    else if (event.key === 'Escape') return place === null ? field.current?.blur() : setPlace(null);
    else return;
    event.preventDefault();
  };
  return (
    <div>
      <form className={styles.form} onSubmit={onSubmit} role="search">
        <div className={styles.field}>
          <TextInput
            ref={field}
            classNames={{ input: styles.input ?? '' }}
            aria-label={words.runs.filterHelp}
            placeholder={words.runs.filterHint}
            title={`${words.runs.filterHelp} (${SHORTCUTS.search.keys})`}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setPlace(event.currentTarget.selectionStart);
              setAt(-1);
            }}
            onFocus={(event) => setPlace(event.currentTarget.selectionStart)}
            onBlur={() => setPlace(null)}
            onKeyDown={onKeyDown}
            role="combobox"
            aria-expanded={options.length > 0}
            aria-controls={list}
            aria-activedescendant={at >= 0 ? `${list}-${at}` : undefined}
            autoComplete="off"
            spellCheck={false}
          />
          <Options id={list} options={options} at={at} onTake={take} />
        </div>
        <Button type="submit" variant="default">
          {words.runs.apply}
        </Button>
      </form>
      <QueryProblem query={query} error={error} />
    </div>
  );
}

/** Nothing while the field is not in use. */
function useCompletions(text: string, place: number | null): readonly Completion[] {
  const [, task] = /^task:(.*)$/.exec(termAt(text, place ?? 0).text) ?? [];
  const tasks = useQuery({
    ...get('/v1/tasks', { query: { name: `*${task ?? ''}*`, limit: 8 } }),
    enabled: place !== null && task !== undefined && !task.includes('*'),
  });
  if (place === null) return [];
  return completions(
    text,
    place,
    (tasks.data?.items ?? []).map(({ name }) => name),
  );
}

interface OptionsProps {
  id: string;
  options: readonly Completion[];
  at: number;
  onTake: (option: Completion) => void;
}

function Options({ id, options, at, onTake }: OptionsProps) {
  if (options.length === 0) return <div id={id} hidden />;
  return (
    <div id={id} className={styles.list} role="listbox" aria-label={words.runs.completion}>
      {options.map((option, index) => (
        <div
          key={option.text}
          id={`${id}-${index}`}
          className={styles.option}
          role="option"
          aria-selected={index === at}
          onMouseDown={(event) => {
            event.preventDefault();
            onTake(option);
          }}
        >
          <code>{option.text}</code>
          <span className="quiet cut">{option.hint}</span>
        </div>
      ))}
    </div>
  );
}

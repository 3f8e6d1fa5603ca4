import { Autocomplete } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get } from '../api/get.ts';
import { words } from '../words/index.ts';

const LIMIT = 8;
const TYPING_MS = 200;

/** The name of a task, completed while one types. */
export function TaskField({ task, onTask }: { task: string; onTask: (task: string) => void }) {
  const [typed] = useDebouncedValue(task.trim(), TYPING_MS);
  const [isUsed, setUsed] = useState(false);
  const found = useQuery({
    ...get('/v1/tasks', { query: { name: `*${typed}*`, limit: LIMIT } }),
    enabled: isUsed,
    placeholderData: (before) => before,
  });
  return (
    <Autocomplete
      label={words.common.task}
      data={[...new Set((found.data?.items ?? []).map(({ name }) => name))]}
      value={task}
      onChange={onTask}
      onFocus={() => setUsed(true)}
      required
      withScrollArea={false}
    />
  );
}

import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { pages } from '../../api/get.ts';
import { toImport, toNewTask, toTasks } from '../../links.ts';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Page } from '../../parts/page.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { words } from '../../words/index.ts';
import { Filter } from './filter.tsx';
import { queryOf, type TasksSearch } from './search.ts';
import { States } from './states.tsx';
import { TaskTable } from './task-table.tsx';

const api = getRouteApi('/signed-in/tasks');
const PAGE = 100;
/** Runs of each task's bars. */
const RECENT = 30;

/** Every task: found by its name, with how its latest runs went. */
export function TasksScreen() {
  const search = api.useSearch();
  const navigate = useNavigate();
  const list = useInfiniteQuery({
    ...pages('/v1/tasks', { query: { ...queryOf(search), recent: RECENT, limit: PAGE } }),
    // While one types, what was found before stays.
    placeholderData: (before) => before,
  });
  const { error, data, refetch } = list;
  const onSearch = (change: TasksSearch) => void navigate({ ...toTasks({ ...search, ...change }), replace: true });
  return (
    <Page title={words.tasks.title} beside={<NewTasks />}>
      <Filter search={search} onSearch={onSearch} />
      <States search={search} />
      {error && !data ? (
        <ProblemNote error={error} onRetry={() => void refetch()} />
      ) : (
        <TaskTable list={list} search={search} />
      )}
    </Page>
  );
}

function NewTasks() {
  const navigate = useNavigate();
  const whyNot = useMay('edit') ? null : words.common.notAllowed('edit');
  return (
    <>
      <ActionButton words={words.imports.link} whyNot={whyNot} onClick={() => void navigate(toImport())} />
      <ActionButton words={words.edit.newTask} whyNot={whyNot} onClick={() => void navigate(toNewTask())} />
    </>
  );
}

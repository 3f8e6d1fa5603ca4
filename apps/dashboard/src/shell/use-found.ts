import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { get } from '../api/get.ts';
import { toRun, toTask } from '../links.ts';
import { words } from '../words/index.ts';
import { ALL_PLACES } from './navigation.ts';

export interface Found {
  kind: string;
  name: string;
  link: LinkProps;
}

const LIMIT = 8;
/** The first digits of the id of a run. */
const RUN_ID = /^[0-9a-f]{8}[0-9a-f-]*$/i;

/** Pages, tasks and the run that a text may mean. */
export function useFound(text: string): readonly Found[] {
  const wanted = text.trim();
  const { palettePages, paletteTasks, paletteRuns } = words.shell;
  const tasks = useQuery({
    ...get('/v1/tasks', { query: { name: `*${wanted}*`, limit: LIMIT } }),
    enabled: wanted.length > 0,
    placeholderData: (before) => before,
  });
  const pages = ALL_PLACES.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  return [
    ...pages.map(({ name, link }) => ({ kind: palettePages, name, link })),
    ...(RUN_ID.test(wanted) ? [{ kind: paletteRuns, name: wanted, link: toRun(wanted) }] : []),
    ...(wanted === '' ? [] : (tasks.data?.items ?? [])).map(({ id, name }) => ({
      kind: paletteTasks,
      name,
      link: toTask(id),
    })),
  ];
}

import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { get } from '../api/get.ts';
import { toRun, toTask } from '../links.ts';
import { words } from '../words/index.ts';
import { ALL_PLACES } from './navigation.ts';
import { type FoundAction, type Opened, useActions, usePageActions } from './use-actions.ts';

interface FoundPlace {
  kind: string;
  name: string;
  link: LinkProps;
}

export type Found = FoundPlace | FoundAction;

const LIMIT = 8;
/** The first digits of the id of a run. */
const RUN_ID = /^[0-9a-f]{8}[0-9a-f-]*$/i;

/** Pages, tasks, the run and the acts that a text may mean. */
export function useFound(text: string, onOpen: (what: Opened) => void): readonly Found[] {
  const wanted = text.trim();
  const { palettePages, paletteTasks, paletteRuns } = words.shell;
  const tasks = useQuery({
    ...get('/v1/tasks', { query: { name: `*${wanted}*`, limit: LIMIT } }),
    enabled: wanted.length > 0,
    placeholderData: (before) => before,
  });
  const here = usePageActions();
  const actions = useActions(onOpen);
  const isMeant = ({ name }: { name: string }) => name.toLowerCase().includes(wanted.toLowerCase());
  // What the page has a button for is there once.
  const others = actions.filter(({ name }) => !here.some((each) => each.name === name));
  return [
    ...here.filter(isMeant),
    ...ALL_PLACES.filter(isMeant).map(({ name, link }) => ({ kind: palettePages, name, link })),
    ...others.filter(isMeant),
    ...(RUN_ID.test(wanted) ? [{ kind: paletteRuns, name: wanted, link: toRun(wanted) }] : []),
    ...(wanted === '' ? [] : (tasks.data?.items ?? [])).map(({ id, name }) => ({
      kind: paletteTasks,
      name,
      link: toTask(id),
    })),
  ];
}

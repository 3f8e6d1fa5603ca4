import { useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { get } from '../api/get.ts';
import { actionsOfPage } from '../keyboard/rows.ts';
import { toBackfills, toImport, toNewCalendar, toNewTask } from '../links.ts';
import { useMay, useMayAll } from '../me/me.ts';
import { useLeave } from '../me/use-leave.ts';
import { words } from '../words/index.ts';

export interface FoundAction {
  kind: string;
  name: string;
  action: () => void;
}

/** What the shell opens over any page. */
export type Opened = 'help' | 'freeze' | 'unfreeze';

const { shell: text } = words;
const THEMES = ['auto', 'light', 'dark'] as const;

/** What can be done on the page that is open: its own buttons, which ask as they do when they are pressed. */
export function usePageActions(): readonly FoundAction[] {
  // As it was before the palette came over it.
  const [actions] = useState(() => {
    const named = new Map(actionsOfPage().map((button) => [button.textContent ?? '', button]));
    return [...named].map(([name, button]) => ({ kind: text.paletteHere, name, action: () => press(button) }));
  });
  return actions;
}

function press(button: HTMLElement): void {
  button.focus();
  button.click();
}

/** What can be done wherever one is. */
export function useActions(onOpen: (what: Opened) => void): readonly FoundAction[] {
  const navigate = useNavigate();
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const leave = useLeave();
  const mayEdit = useMay('edit');
  const mayTrigger = useMay('trigger');
  const freeze = useFreezeAction();
  const actions: (false | readonly [string, () => void])[] = [
    mayEdit && [words.edit.newTask, () => void navigate(toNewTask())],
    mayEdit && [words.imports.link, () => void navigate(toImport())],
    mayEdit && [words.calendars.newCalendar, () => void navigate(toNewCalendar())],
    mayTrigger && [words.backfills.start, () => void navigate(toBackfills({ start: '' }))],
    freeze !== null && [freeze === 'freeze' ? words.fleet.freeze : text.unfreeze, () => onOpen(freeze)],
    ...THEMES.filter((theme) => theme !== colorScheme).map(
      (theme) => [text.toTheme(text.themes[theme]), () => setColorScheme(theme)] as const,
    ),
    [text.keys, () => onOpen('help')],
    [text.signOut, () => void leave()],
  ];
  return actions.flatMap((one) => (one ? [{ kind: text.paletteActions, name: one[0], action: one[1] }] : []));
}

/** Null: they may do neither, or it is not known yet. */
function useFreezeAction(): 'freeze' | 'unfreeze' | null {
  const mayPause = useMayAll('pause');
  const { data } = useQuery({ ...get('/v1/freeze'), enabled: mayPause });
  if (!mayPause || !data) return null;
  return data.freeze ? 'unfreeze' : 'freeze';
}

import { Outlet, useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '../api/load-part.ts';
import { focusAction, openRow, selectRow, stepRow } from '../keyboard/rows.ts';
import { useShortcuts } from '../keyboard/use-shortcuts.ts';
import { useSettings } from '../settings/settings.ts';
import { UndoLine } from '../undo/undo-line.tsx';
import { words } from '../words/index.ts';
import { AwayNote } from './away-note.tsx';
import { ALL_PLACES } from './navigation.ts';
import styles from './shell.module.css';
import { SideBar } from './side-bar.tsx';
import { TopBar } from './top-bar.tsx';
import type { Opened } from './use-actions.ts';
import { usePreload } from './use-preload.ts';

const Palette = lazyPart(() => import('./palette.tsx'));
const KeyHelp = lazyPart(() => import('./key-help.tsx'));
const FreezeDialogs = lazyPart(() => import('../routes/fleet/freeze-dialogs.tsx'));

type Open = 'palette' | Opened | null;

/** What stands around every screen: pages, search, how live it is, settings. */
export function Shell() {
  const [open, setOpen] = useState<Open>(null);
  const [sideIsOpen, setSideIsOpen] = useState(false);
  const { pathname } = useLocation();
  const { density } = useSettings();
  const isOnWall = useOnWall();
  useGoShortcuts();
  useRowShortcuts();
  usePreload(Palette, KeyHelp);
  useShortcuts({ palette: () => setOpen('palette'), help: () => setOpen('help') });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes it.
  useEffect(() => setSideIsOpen(false), [pathname]);
  useEffect(() => {
    document.documentElement.dataset.density = density;
  }, [density]);
  return (
    <div className={styles.shell} data-wall={isOnWall || undefined}>
      <a className={styles.skip} href="#content">
        {words.shell.skip}
      </a>
      <header className={styles.banner}>
        <div className={styles.brand}>
          <img src="/favicon.svg" alt="" />
          {words.common.product}
        </div>
        <TopBar
          onFind={() => setOpen('palette')}
          onHelp={() => setOpen('help')}
          side={{ isOpen: sideIsOpen, toggle: () => setSideIsOpen(!sideIsOpen) }}
        />
      </header>
      <SideBar isOpen={sideIsOpen} />
      <main id="content" className={styles.main} tabIndex={-1}>
        <AwayNote />
        <UndoLine />
        <Outlet />
      </main>
      <Suspense fallback={null}>
        {open === 'palette' ? <Palette onClose={() => setOpen(null)} onOpen={setOpen} /> : null}
        {open === 'help' ? <KeyHelp onClose={() => setOpen(null)} /> : null}
        {open === 'freeze' || open === 'unfreeze' ? <FreezeDialogs which={open} onClose={() => setOpen(null)} /> : null}
      </Suspense>
    </div>
  );
}

/** `?wall`: the screen alone, and larger. */
function useOnWall(): boolean {
  const { wall } = useSearch({ strict: false });
  const isOnWall = wall !== undefined && wall !== false;
  useEffect(() => {
    document.documentElement.toggleAttribute('data-wall', isOnWall);
  }, [isOnWall]);
  return isOnWall;
}

/** `g n`, `g r`: to the pages that have such a shortcut. */
function useGoShortcuts(): void {
  const navigate = useNavigate();
  const going = ALL_PLACES.flatMap(({ shortcut, link }) =>
    shortcut ? [[shortcut, () => void navigate(link)] as const] : [],
  );
  useShortcuts(Object.fromEntries(going));
}

/** Over the rows of any page, where it has no way of its own. */
function useRowShortcuts(): void {
  const handlers = {
    next: () => stepRow(1),
    previous: () => stepRow(-1),
    open: openRow,
    select: selectRow,
    actions: focusAction,
  };
  useShortcuts(handlers, { isShell: true });
}

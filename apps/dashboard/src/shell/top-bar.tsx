import { Suspense } from 'react';
import { lazyPart } from '../api/load-part.ts';
import { SHORTCUTS } from '../keyboard/shortcuts.ts';
import { words } from '../words/index.ts';
import { LiveBadge } from './live-badge.tsx';
import styles from './shell.module.css';
import { useIdle } from './use-idle.ts';

const Menus = lazyPart(() => import('./menus.tsx'));

interface TopBarProps {
  onFind: () => void;
  onHelp: () => void;
  side: { isOpen: boolean; toggle: () => void };
}

export function TopBar({ onFind, onHelp, side }: TopBarProps) {
  const isIdle = useIdle();
  const later = <span className={styles.menus} />;
  return (
    <div className={styles.top}>
      <button
        type="button"
        className={styles.burger}
        aria-controls="pages"
        aria-expanded={side.isOpen}
        aria-label={side.isOpen ? words.shell.closeNavigation : words.shell.openNavigation}
        onClick={side.toggle}
      >
        <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
          <path d="M2 4.5h14M2 9h14M2 13.5h14" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
        </svg>
      </button>
      <button
        type="button"
        className={styles.find}
        onClick={onFind}
        title={`${words.keys.palette} (${SHORTCUTS.palette.keys})`}
      >
        <span className="cut">{words.shell.palette}</span>
        <kbd className={styles.key}>{SHORTCUTS.palette.keys}</kbd>
      </button>
      <LiveBadge />
      <Suspense fallback={later}>{isIdle ? <Menus onHelp={onHelp} /> : later}</Suspense>
    </div>
  );
}

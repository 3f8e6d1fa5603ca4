import { Link } from '@tanstack/react-router';
import { SHORTCUTS } from '../keyboard/shortcuts.ts';
import { words } from '../words/index.ts';
import { PLACES, type Place } from './navigation.ts';
import styles from './shell.module.css';

export function SideBar({ isOpen }: { isOpen: boolean }) {
  return (
    <nav id="pages" className={styles.side} aria-label={words.shell.navigation} data-open={isOpen || undefined}>
      {PLACES.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the groups never change.
        <ul key={index}>
          {group.map((place) => (
            <li key={place.name}>
              <PlaceLink {...place} />
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}

function PlaceLink({ name, link, shortcut }: Place) {
  return (
    <Link {...link} className={styles.place} activeOptions={{ exact: link.to === '/', includeSearch: false }}>
      {name}
      {shortcut ? (
        <span aria-hidden="true">
          <kbd className={styles.key}>{SHORTCUTS[shortcut].keys}</kbd>
        </span>
      ) : null}
    </Link>
  );
}

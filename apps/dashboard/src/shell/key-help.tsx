import { useState } from 'react';
import { rowShortcuts } from '../keyboard/rows.ts';
import { SHORTCUTS, type ShortcutName } from '../keyboard/shortcuts.ts';
import { handledShortcuts } from '../keyboard/use-shortcuts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { words } from '../words/index.ts';
import styles from './key-help.module.css';
import shell from './shell.module.css';

/** Shortcuts that do something on this page. */
export default function KeyHelp({ onClose }: { onClose: () => void }) {
  const [names] = useState(namesHere);
  return (
    <Dialog onClose={onClose} title={words.keys.title}>
      <dl className={styles.list}>
        {names.map((name) => (
          <div key={name}>
            <dt>
              {SHORTCUTS[name].keys.split(' ').map((key) => (
                <kbd className={shell.key} key={key}>
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{SHORTCUTS[name].words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function namesHere(): ShortcutName[] {
  const handled = handledShortcuts();
  const ofRows: Partial<Record<ShortcutName, boolean>> = rowShortcuts();
  return (Object.keys(SHORTCUTS) as ShortcutName[]).filter((name) => handled.has(name) && (ofRows[name] ?? true));
}

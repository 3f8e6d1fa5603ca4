import { SHORTCUTS } from '../keyboard/shortcuts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { words } from '../words/index.ts';
import styles from './key-help.module.css';
import shell from './shell.module.css';

/** All shortcuts. */
export default function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title={words.keys.title}>
      <dl className={styles.list}>
        {Object.values(SHORTCUTS).map(({ keys, words: does }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd className={shell.key} key={key}>
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

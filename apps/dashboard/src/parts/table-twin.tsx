import { type ReactNode, useState } from 'react';
import { words } from '../words/index.ts';
import styles from './table-twin.module.css';

/** What a picture shows, as a table below it. It is made once it is opened. */
export function TableTwin({ children }: { children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={styles.twin} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{words.common.asTable}</summary>
      {isOpen ? children : null}
    </details>
  );
}

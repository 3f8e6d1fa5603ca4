import { type ReactNode, useEffect } from 'react';
import { words } from '../words/index.ts';
import styles from './page.module.css';

interface PageProps {
  title: string;
  /** Beside the title: a state, buttons. */
  beside?: ReactNode;
  children: ReactNode;
}

/** A screen: its title, also that of the tab, and its parts below one another. */
export function Page({ title, beside, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · ${words.common.product}`;
  }, [title]);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>{title}</h1>
        {beside}
      </header>
      {children}
    </div>
  );
}

import { type ReactNode, useId } from 'react';
import styles from './panel.module.css';

interface PanelProps {
  title: string;
  /** A few words beside the title: how many there are. */
  note?: ReactNode;
  /** Buttons and links at its right end. */
  actions?: ReactNode;
  /** Its rows reach its edges. Default false. */
  flush?: boolean;
  children: ReactNode;
}

/** A part of a screen, with a title. */
export function Panel({ title, note, actions, flush = false, children }: PanelProps) {
  const id = useId();
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>
          {title}
          {note === undefined ? null : <span className={styles.note}>{note}</span>}
        </h2>
        {actions}
      </header>
      <div className={flush ? styles.flush : styles.body}>{children}</div>
    </section>
  );
}

import type { ReactNode } from 'react';
import type { Shape, Tone } from '../states.ts';
import styles from './note.module.css';
import { ShapeMark } from './shape.tsx';
import { toneClass } from './tones.ts';

interface NoteProps {
  tone: Tone;
  shape: Shape;
  title?: string;
  children?: ReactNode;
  /** Small print: the id of a request. */
  small?: ReactNode;
  actions?: ReactNode;
  /** Read out at once. Default: it is part of the page. */
  role?: 'alert' | 'status';
}

/** A few words that stand out. */
export function Note({ tone, shape, title, children, small, actions, role }: NoteProps) {
  return (
    <div className={`${styles.note} ${toneClass(tone)}`} role={role}>
      <ShapeMark shape={shape} size={16} />
      <div className={styles.words}>
        {title === undefined ? null : <span className={styles.title}>{title}</span>}
        {children}
        {small === undefined ? null : <span className={styles.small}>{small}</span>}
      </div>
      {actions === undefined ? null : <div className={styles.acts}>{actions}</div>}
    </div>
  );
}

/** What stands where there is nothing: why, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <strong>{title}</strong>
      {children}
    </div>
  );
}

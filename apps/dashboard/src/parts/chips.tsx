import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Shape, Tone } from '../states.ts';
import styles from './chips.module.css';
import { ShapeMark } from './shape.tsx';
import { toneClass } from './tones.ts';

/** Choices of which one counts: links, or buttons where nothing of it is in the address. */
export function Chips({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={styles.chips} aria-label={label}>
      {children}
    </ul>
  );
}

interface ChipProps {
  /** Where it leads; without one it is a button. */
  link?: LinkProps;
  onChoose?: () => void;
  isChosen: boolean;
  look?: { tone: Tone; shape: Shape };
  children: ReactNode;
}

export function Chip({ link, onChoose, isChosen, look, children }: ChipProps) {
  if (!link)
    return (
      <li>
        <button type="button" className={styles.chip} aria-pressed={isChosen} onClick={onChoose}>
          {children}
        </button>
      </li>
    );
  return (
    <li>
      <Link
        {...link}
        className={look ? `${styles.chip} ${toneClass(look.tone)}` : styles.chip}
        aria-current={isChosen}
        activeOptions={{ exact: true }}
      >
        {look ? <ShapeMark shape={look.shape} size={12} /> : null}
        {children}
      </Link>
    </li>
  );
}

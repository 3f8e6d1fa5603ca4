import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Shape, Tone } from '../states.ts';
import styles from './chips.module.css';
import { ShapeMark } from './shape.tsx';
import { toneClass } from './tones.ts';

/** Choices of which one counts, each a link. */
export function Chips({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={styles.chips} aria-label={label}>
      {children}
    </ul>
  );
}

interface ChipProps {
  link: LinkProps;
  isChosen: boolean;
  look?: { tone: Tone; shape: Shape };
  children: ReactNode;
}

export function Chip({ link, isChosen, look, children }: ChipProps) {
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

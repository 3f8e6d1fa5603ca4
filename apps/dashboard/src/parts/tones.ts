import type { Tone } from '../states.ts';
import styles from './tones.module.css';

/** The class that gives `--tone` and `--wash` the colours of a state. */
export function toneClass(tone: Tone): string {
  return styles[tone] ?? '';
}

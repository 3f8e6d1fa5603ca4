import type { Shape } from '../states.ts';

const PATHS: Readonly<Record<Shape, string>> = {
  check: 'M3.5 8.5l3 3 6-7',
  cross: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  play: 'M5.5 3.8v8.4l6.5-4.2z',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3.2l2 1.3',
  ring: 'M8 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8',
  hand: 'M5.8 4v8M10.2 4v8',
  gap: 'M3 4.5v7M13 4.5v7M6.5 8h3',
  question: 'M5.8 6a2.2 2.2 0 1 1 3.2 2c-.8.4-1 .8-1 1.6M8 12.2v.1',
  slash: 'M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3M4.6 11.4l6.8-6.8',
  retry: 'M12.5 8A4.5 4.5 0 1 1 11 4.6M11.4 2v3h-3',
  dot: 'M8 6.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3',
};

/** The shape of a state, for who does not tell its colour. */
export function ShapeMark({ shape, size = 14 }: { shape: Shape; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d={PATHS[shape]}
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

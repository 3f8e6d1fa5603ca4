import type { RunState } from '@escapement/core';

/** A sign for each state of a run: a dot for what went well, a letter for the rest. */
const SIGNS: { readonly [State in RunState]: string } = {
  succeeded: '.',
  failed: 'F',
  timed_out: 'T',
  quarantined: 'Q',
  cancelled: 'C',
  skipped: 's',
  missed: 'M',
  superseded: 'e',
  running: 'r',
  retrying: 'r',
  planned: 'w',
  queued: 'w',
  waiting: 'w',
  held: 'h',
  unknown: '?',
};

/** How runs went, a sign for each. */
export function sparkline(states: readonly RunState[]): string {
  return states.map((state) => SIGNS[state]).join('');
}

import type { components } from '../api/generated/openapi.ts';
import { counted } from './counted.ts';

type State = components['schemas']['BulkRequest']['state'];

const NUMBER = (n: number) => n.toLocaleString('en');

/** What is told of a bulk action while a scheduler carries it out. */
export interface BulkWords {
  states: Readonly<Record<State, string>>;
  counts: (done: number, total: number) => string;
  /** Those that had moved on before. */
  passed: (n: number) => string;
  refused: (n: number) => string;
}

interface ActionWords {
  button: string;
  title: string;
  words: string;
}

/** What is told of halting a bulk action. */
export interface HaltWords {
  pause: ActionWords;
  resume: ActionWords;
  cancel: ActionWords;
}

const halt: HaltWords = {
  pause: {
    button: 'Pause',
    title: 'Pause it?',
    words: 'What was done already stays so. The rest waits until somebody goes on with it.',
  },
  resume: { button: 'Go on', title: 'Go on with it?', words: 'It goes on where it stopped.' },
  cancel: {
    button: 'End it',
    title: 'End it here?',
    words: 'Nothing is taken back of what was done already. Nothing is done to the rest.',
  },
};

const counts = (done: number, total: number) => `${NUMBER(done)} of ${counted(total, 'run')}`;
const refused = (n: number) => `refused: ${NUMBER(n)}`;

/** Runs that are run again. */
export const redriven: BulkWords = {
  states: {
    waiting: 'A scheduler will run them again.',
    running: 'They are run again',
    paused: 'Running them again is paused',
    done: 'They were run again',
    cancelled: 'Running them again was cancelled',
    failed: 'They could not be run again',
  },
  counts,
  passed: (n) => `run again before: ${NUMBER(n)}`,
  refused,
};

const passed = (n: number) => `had moved on before: ${NUMBER(n)}`;

export const bulk = {
  redriven,
  halt,
  refusedTitle: (shown: number, all: number) =>
    shown < all ? `Refused, and why: the first ${NUMBER(shown)} of ${NUMBER(all)}` : `Refused, and why: ${NUMBER(all)}`,
  refusedList: 'What was refused, and why',
  results: {
    button: 'Results',
    title: 'What it was done to',
    columns: { run: 'Run', outcome: 'Outcome', made: 'New run', at: 'When' },
    outcomes: { done: 'done', dropped: 'dropped for a newer one' },
    pruned: 'a run that is deleted',
    made: 'see it',
    none: 'none',
    empty: 'It was done to none so far.',
    more: 'Show more',
  },
  open: 'Act on all of this filter...',
  title: 'Act on all runs of this filter?',
  action: 'What is done',
  filter: 'Filter',
  allRuns: 'none: all runs',
  actions: {
    cancel: 'Cancel what has not ended',
    redrive: 'Run again what failed and was not run again yet',
    rerun: 'Run again all that has ended',
    resolve: 'Say what became of those that are unknown',
  },
  words: {
    cancel: (n: number) =>
      `${counted(n, 'run')} ${n === 1 ? 'is' : 'are'} cancelled. Those that run now are told to stop.`,
    redrive: (n: number) =>
      `${counted(n, 'run')} ${n === 1 ? 'runs' : 'run'} once more, by their tasks as they are now.`,
    rerun: (n: number) => `${counted(n, 'run')} ${n === 1 ? 'runs' : 'run'} once more, by their tasks as they are now.`,
    resolve: (n: number) => `${counted(n, 'unknown run')} ${n === 1 ? 'gets' : 'get'} the end that you say.`,
  },
  allFound: 'These are all that the filter finds, also those that the list has not shown yet.',
  nothing: 'The filter finds no run to which this can be done.',
  doIt: 'Do it',
  progress: {
    cancel: {
      states: {
        waiting: 'A scheduler will cancel them.',
        running: 'They are cancelled',
        paused: 'Cancelling them is paused',
        done: 'They were cancelled',
        cancelled: 'Cancelling them was ended',
        failed: 'They could not be cancelled',
      },
      ...{ counts, passed, refused },
    },
    redrive: redriven,
    rerun: redriven,
    resolve: {
      states: {
        waiting: 'A scheduler will save what became of them.',
        running: 'What became of them is saved',
        paused: 'Saving what became of them is paused',
        done: 'What became of them was saved',
        cancelled: 'Saving what became of them was ended',
        failed: 'What became of them could not be saved',
      },
      ...{ counts, passed, refused },
    },
  } satisfies Record<string, BulkWords>,
};

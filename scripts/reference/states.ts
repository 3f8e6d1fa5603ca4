import {
  isTerminal,
  legalMoves,
  NOT_BEGUN,
  NOT_BEGUN_CODES,
  ORIGIN_MEANINGS,
  RUN_ORIGINS,
  RUN_STATES,
  type RunState,
  STATE_MEANINGS,
} from '@escapement/core';
import { cell, table } from './table.ts';

const HEADER = `# States of a run

<!-- Written by \`npm run docs:reference\` from packages/core/src/run-state.ts and beside it; do not edit. -->

A run is a row of the ledger. It has one state at a time. A run that has ended never changes again: a trigger in Postgres refuses it.
A row that ended otherwise than by success has a reason, a sentence that \`escapement runs list\` shows.
`;

/** The text of docs/reference/states.md. */
export function statesDoc(): string {
  return [HEADER, diagram(), ended(), moves(), notBegun(), origins()].join('\n');
}

function diagram(): string {
  const drawn = RUN_STATES.flatMap((from) => legalMoves(from).map((to) => `  ${from} --> ${to}`));
  return `\`\`\`mermaid\nstateDiagram-v2\n  [*] --> planned\n  [*] --> queued\n${drawn.join('\n')}\n\`\`\`\n`;
}

function ended(): string {
  const heads = ['state', 'meaning', 'next'];
  const open = RUN_STATES.filter((state) => !isTerminal(state));
  const over = RUN_STATES.filter(isTerminal);
  return [
    `## Runs that have not ended\n\n${table(heads, open.map(stateRow))}`,
    `## Runs that have ended\n\n${table(
      heads.slice(0, 2),
      over.map((state) => stateRow(state).slice(0, 2)),
    )}`,
  ].join('\n');
}

function stateRow(state: RunState): string[] {
  const next = legalMoves(state).map((to) => `\`${to}\``);
  return [`\`${state}\``, cell(STATE_MEANINGS[state]), next.join(', ')];
}

function moves(): string {
  return `An \`unknown\` run does not go on by itself: [a person resolves it](../how-to/repair-runs.md). A rerun is a new row, which names the old
one. The words of reasons are for people; programs look at the state and at the code below.
`;
}

const EXAMPLE_FACTS = {
  ...{ key: 'KEY', attempt: 0, freezeNote: 'NOTE', pauseNote: 'NOTE', pool: 'POOL', poolPauseNote: 'NOTE' },
  ...{ cancel: { who: 'NAME', reason: 'REASON' }, deadlineMs: 60_000, lateMs: 90_000, holder: 'RUN' },
};

function notBegun(): string {
  const rows = NOT_BEGUN_CODES.map((code) => {
    const { endsAs, words, advice } = NOT_BEGUN[code];
    return [`\`${code}\``, cell(words(EXAMPLE_FACTS)), endsAs === null ? '-' : `\`${endsAs}\``, cell(advice)];
  });
  return `## Why a run does not begin

\`escapement runs show RUN\` says for a run that has not begun what keeps it from that; in JSON \`heldBack\` has the code. If several hold, the
first of them is told. Where the third column has a state, the run ends in it, and the words are its reason.

${table(['code', 'reason (of a run that is 90 s late)', 'ends as', 'what helps'], rows)}`;
}

function origins(): string {
  const rows = RUN_ORIGINS.map((origin) => [`\`${origin}\``, cell(ORIGIN_MEANINGS[origin])]);
  return `## Where rows come from

Of \`schedule\`, \`catch_up\` and \`backfill\` together, there is at most one row for a task and an instant; superseded rows apart,
and one for each worker where a task [runs on every worker](run-on.md).

${table(['origin', 'meaning'], rows)}`;
}

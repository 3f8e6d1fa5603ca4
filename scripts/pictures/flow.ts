import { arrow, box, picture, row, text } from './svg.ts';

const LEDGER = [
  ['02:30', 'backup', 'succeeded', 'in 41 s'],
  ['02:35', 'poll-orders', 'skipped', 'its key was held by an earlier run'],
  ['02:40', 'poll-orders', 'failed', 'exited with code 1'],
  ['03:00', 'report', 'missed', '14 min late: no worker was alive'],
] as const;

const COLOURS: Readonly<Record<string, string>> = {
  succeeded: '#1a7f37',
  skipped: '#57606a',
  failed: '#cf222e',
  missed: '#9a6700',
};

/** The picture of the README: the way of a task, and what is left of it. */
export function flowPicture(): string {
  return picture(
    {
      width: 860,
      height: 330,
      title:
        'Tasks go into Postgres, schedulers write due runs into Redis, workers run them, and each occurrence is a row',
    },
    [
      box({ x: 10, y: 20, width: 190, height: 104 }, 'Tasks', ['lines of crontabs', 'commands, HTTP', 'TypeScript']),
      box({ x: 260, y: 20, width: 150, height: 104 }, 'Postgres', ['tasks', 'the ledger']),
      box({ x: 470, y: 20, width: 150, height: 104 }, 'Redis', ['queue (BullMQ)', 'may lose its data']),
      box({ x: 700, y: 20, width: 150, height: 104 }, 'Workers', ['as many as', 'you want']),
      arrow([200, 72], [260, 72], 'save'),
      arrow([410, 72], [470, 72], 'due'),
      text({ x: 440, y: 146, anchor: 'middle', colour: '#57606a' }, 'schedulers, as many as you want'),
      arrow([620, 72], [700, 72], 'jobs'),
      arrow([775, 124], [775, 176], 'results'),
      ledger(),
    ],
  );
}

function ledger(): string {
  const frame = box(
    { x: 10, y: 176, width: 840, height: 142 },
    'The ledger, in Postgres: a row for each time a job was due, with a reason',
    [],
  );
  const rows = LEDGER.map(([due, task, state, reason], index) =>
    row(226 + index * 24, [
      { x: 26, words: due },
      { x: 100, words: task },
      { x: 240, words: state, colour: COLOURS[state] },
      { x: 370, words: reason },
    ]),
  );
  return [frame, ...rows].join('\n');
}

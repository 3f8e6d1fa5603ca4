import type { HeldAction, Which } from '../routes/recovery/held-action.ts';
import type { Order } from '../routes/recovery/order.ts';
import { counted } from './counted.ts';

const NUMBER = (n: number) => n.toLocaleString('en');
const be = (n: number) => (n === 1 ? 'is' : 'are');

/** The held runs that an act is about. */
function heldOf({ tasks, runs, latestOnly }: HeldAction): string {
  const [task] = tasks ?? [];
  const where = tasks === null ? '' : tasks.length === 1 ? ` of ${task}` : ` of ${counted(tasks.length, 'task')}`;
  if (runs) return `${counted(runs.length, 'held run')}${where}`;
  if (latestOnly) return tasks === null ? 'the newest held run of each task' : `the newest held run${where}`;
  return tasks === null ? 'all that is held' : `the held runs${where}`;
}

function whatOf({ task, tasks }: Which): string {
  if (tasks) return `what is held of ${counted(tasks.length, 'task')}`;
  return task === undefined ? 'all that is held' : `what is held of ${task}`;
}

/** Tasks that are named in a sentence. */
const NAMED = 5;

function list(names: readonly string[]): string {
  const more = names.length - NAMED;
  return [...names.slice(0, NAMED), ...(more > 0 ? [`${NUMBER(more)} more`] : [])].join(', ');
}

export const recovery = {
  title: 'Recovery',
  held: (runs: number, tasks: number) =>
    `${counted(runs, 'run')} of ${counted(tasks, 'task')} ${be(runs)} held after an outage, until somebody decides.`,
  order: 'They go on by priority, the highest first, then the oldest first.',
  howToOrder: 'Drag a task by its handle to put it before others, or press the handle.',
  inOrder: ({ names, hasOthers }: Pick<Order, 'names' | 'hasOthers'>) =>
    `In this order: ${list(names)}${hasOthers ? ', then the others by priority' : ''}.`,
  firstOf: (names: readonly string[]) => `first ${list(names)}`,
  stillByPriority: 'Of those that are due, they take the more urgent first all the same: a rate keeps the order.',
  resetOrder: 'Reset order',
  orderIsReset: 'All go on by priority again.',
  move: (task: string, place: number | null) => (place === null ? `Move ${task}` : `Move ${task}, now number ${place}`),
  moves: { top: 'To the top', up: 'Up', down: 'Down' },
  moved: (task: string, place: number, all: number) => `${task} is now number ${NUMBER(place)} of ${NUMBER(all)}.`,
  tooManyOrdered: (most: number) => `At most ${NUMBER(most)} tasks can be put in an order.`,
  plan: 'Held runs by task',
  column: { task: 'Task', held: 'Held', due: 'Were due', why: 'Why', actions: 'What can be done' },
  to: 'to',
  priority: (n: number) => `priority ${n}`,
  runs: (n: number) => counted(n, 'run'),
  shown: (n: number, all: number) => `The first ${NUMBER(n)} of ${counted(all, 'task')}.`,
  run: 'Run...',
  drop: 'Drop...',
  chooseTask: (name: string) => `Choose ${name}`,
  chooseTasks: (n: number) => `Choose all ${counted(n, 'task')} that are shown`,
  chooseTasksFirst: 'Choose some tasks first.',
  tooManyTasks: (most: number) => `At most ${NUMBER(most)} tasks can be chosen.`,
  runTasks: (n: number) => (n === 0 ? 'Run of these...' : `Run of ${counted(n, 'task')}...`),
  dropTasks: (n: number) => (n === 0 ? 'Drop of these...' : `Drop of ${counted(n, 'task')}...`),
  runAll: 'Run all...',
  dropAll: 'Drop all...',
  runChosen: (n: number) => (n === 0 ? 'Run...' : `Run ${NUMBER(n)}...`),
  dropChosen: (n: number) => (n === 0 ? 'Drop...' : `Drop ${NUMBER(n)}...`),
  runTitle: (which: Which) => `Run ${whatOf(which)}?`,
  runWords: (n: number) =>
    `${counted(n, 'run')} ${n === 1 ? 'goes' : 'go'} on. Runs of one key go one after the other, the others side by side.`,
  olderMissed: (n: number) =>
    `${counted(n, 'older run')} ${n === 1 ? 'ends' : 'end'} as missed at once, and never run.`,
  doRun: 'Run them',
  dropTitle: (which: Which) => `Drop ${whatOf(which)}?`,
  dropWords: (n: number) =>
    `${counted(n, 'run')} ${n === 1 ? 'ends' : 'end'} as missed, with your name and the reason. This cannot be taken back; a backfill can run an occurrence all the same.`,
  doDrop: 'Drop them',
  nothingLeft: 'Nothing of it is held any more: somebody else has decided.',
  which: 'Which',
  whichAll: 'all of them',
  whichNewest: 'only the newest of each task',
  rate: 'At most so many a minute',
  rateNone: 'no limit: all at once',
  begin: 'Begin',
  beginNow: 'now',
  beginAt: 'later, at an instant',
  beginIn: (zone: string) => `At, in ${zone}`,
  atOnce: 'They are due at once: workers take them as fast as they can.',
  spaced: (each: string, all: string) => `One every ${each}: the last is due ${all} after the first.`,
  runsOf: (task: string) => `Held runs of ${task}`,
  runsOrder: 'in the order in which they go on',
  closeRuns: 'Close',
  noRuns: 'Nothing of it is held any more.',
  runColumn: { occurrence: 'Was due', key: 'Key', why: 'Why', run: 'Run' },
  newest: 'The newest',
  see: 'See it',
  choose: (n: number) => `Choose all ${NUMBER(n)} that are shown`,
  chooseFirst: 'Choose some runs first.',
  tooMany: (most: number) => `At most ${NUMBER(most)} can be chosen one by one. Take the whole task instead.`,
  underWay: 'Under way',
  decided: 'Decided',
  decidedNote: 'in the last day',
  states: {
    waiting: 'waits for a scheduler',
    running: 'under way',
    paused: 'paused',
    done: 'done',
    cancelled: 'cancelled',
    failed: 'failed',
  },
  action: {
    run_held: (action: HeldAction) => `Run ${heldOf(action)}`,
    drop_held: (action: HeldAction) => `Drop ${heldOf(action)}`,
  },
  by: (name: string, reason: string | null) => (reason === null ? name : `${name}: ${reason},`),
  every: (span: string) => `one every ${span}`,
  from: 'from',
  left: (span: string) => `about ${span} to go`,
  counts: {
    run_held: (n: number, all: number) => `${NUMBER(n)} of ${counted(all, 'run')} let go`,
    drop_held: (n: number, all: number) => `${NUMBER(n)} of ${counted(all, 'run')} dropped`,
  },
  dropped: (n: number) => `${NUMBER(n)} older dropped`,
  passed: (n: number) => `${NUMBER(n)} decided by others`,
  refused: (n: number) => `${NUMBER(n)} refused`,
  pause: {
    button: 'Pause',
    title: 'Pause it?',
    words:
      'What was let go already, or is due within a minute, goes on. The rest stays held until somebody goes on with it.',
  },
  resume: {
    button: 'Go on',
    title: 'Go on with it?',
    words: 'It goes on where it stopped, at the same rate from now on.',
  },
  cancel: {
    button: 'End it',
    title: 'End it here?',
    words: 'Nothing is taken back of what was done already. The rest stays held, and somebody has to decide again.',
  },
  none: 'Nothing is held: there is nothing to decide.',
  noneWords:
    'After an outage, runs that were missed wait here until somebody says whether they run. Only tasks that ask do so: those whose `catchUp` is `ask`.',
  noneFix: 'Edit a task, and choose that somebody is asked after an outage.',
  noneTasks: 'Tasks',
  noneOthers: 'Other tasks decide by themselves what they catch up. What they left out is among the missed runs.',
  noneMissed: 'Missed in the last 24 hours',
};

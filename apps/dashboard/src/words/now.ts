import { counted } from './counted.ts';

export const now = {
  title: 'Now',
  well: 'Nothing needs you.',
  wellWith: (workers: number, failed: number) =>
    `${counted(workers, 'worker')} alive, ${failed === 0 ? 'no failure' : counted(failed, 'failure')} in the last hour.`,
  needs: (n: number) => `${counted(n, 'thing')} ${n === 1 ? 'needs' : 'need'} you:`,
  /** Not all that there is was read. */
  needsAtLeast: (n: number) => `At least ${counted(n, 'thing')} ${n === 1 ? 'needs' : 'need'} you:`,
  andMore: (n: number) => `and ${n} more`,
  atLeast: (n: number) => `at least ${n}`,
  showMore: (n: number) => `Show ${n} more`,
  showLess: 'Show fewer',
  vitals: 'Vitals',
  lag: 'Scheduler lag',
  lagNote: (age: string) => `planned ${age} ago`,
  workers: 'Workers',
  workersOf: (alive: number, expected: number) => `${alive} of ${expected}`,
  workersNote: (running: number) => `${counted(running, 'run')} at work`,
  waiting: 'Oldest waiting run',
  waitingNote: (n: number) => (n === 0 ? 'none waits' : `${counted(n, 'run')} due`),
  failures: 'Failures in the last hour',
  failuresNote: (n: number) => `${n} in that hour a week ago`,
  none: 'none',
  noScheduler: 'none alive',
  attention: 'Needs attention',
  attentionEmpty: 'Nothing.',
  running: 'Running now',
  runningEmpty: 'Nothing runs at this moment.',
  next: 'Next 60 minutes',
  nextNote: 'the next start of each task',
  nextEmpty: 'No task is due in the next 60 minutes.',
  nextMore: (n: number) => `and ${n.toLocaleString('en')} more`,
  /** Not all tasks were read. */
  nextAtLeast: (n: number) => (n === 0 ? 'There may be more' : `and at least ${n.toLocaleString('en')} more`),
  all: 'All',
  things: {
    noSchedulers: 'No scheduler is alive: nothing is planned',
    noWorkers: 'No worker is alive: nothing runs',
    pool: (name: string, alive: number, expected: number) => `Pool ${name}: ${alive} of ${expected} workers are alive`,
    errors: (message: string, count: number, tasks: string) =>
      `${tasks} failed ${count === 1 ? 'once' : `${count} times`}: ${message}`,
    unknown: (n: number) =>
      `${counted(n, 'run')} ${n === 1 ? 'is' : 'are'} unknown: say what became of ${n === 1 ? 'it' : 'them'}`,
    held: (n: number) => `${counted(n, 'run')} ${n === 1 ? 'is' : 'are'} held after an outage`,
    quarantined: (n: number) => `${counted(n, 'run')} ${n === 1 ? 'is' : 'are'} quarantined`,
    missed: (n: number) => `${counted(n, 'occurrence')} ${n === 1 ? 'was' : 'were'} missed in the last 24 hours`,
    paused: (task: string, by: string) => `${task} is paused by ${by}`,
    unplannable: (task: string, error: string) => `${task} cannot be planned: ${error}`,
    neverFire: ([first = '', ...others]: readonly string[], more: boolean) =>
      others.length === 0
        ? `${first} never fires`
        : `${more ? 'More than ' : ''}${counted(others.length + 1, 'task')} never fire: ${first} and others`,
    neverFireNote: 'no instant of the schedule is to come',
    tasks: (n: number) => counted(n, 'task'),
    freeze: 'All tasks are paused',
    moreAlerts: (n: number) => `${counted(n, 'more alert')} ${n === 1 ? 'fires' : 'fire'}`,
    moreErrors: (n: number) => `${n} more ${n === 1 ? 'kind' : 'kinds'} of error ${n === 1 ? 'is' : 'are'} open`,
    moreTasks: (n: number) => `More than ${counted(n, 'task')} are paused, or cannot be planned`,
    stuck: (task: string) => `${task} runs for far longer than usual`,
    stuckNote: (p99: string) => `99 of 100 runs take at most ${p99}`,
    doctor: (subject: string, detail: string) => `${subject}: ${detail}`,
  },
  usual: (words: string) => `usually ${words}`,
  takesLong: (usual: string) => `more than twice as long as usual (${usual})`,
  done: (percent: number) => `${percent} % done`,
};

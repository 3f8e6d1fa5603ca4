/** How an occurrence becomes runs. */
export const RUN_ON = ['every-worker'] as const;

export type RunOn = (typeof RUN_ON)[number];

/** Name of a worker: what stays the same when it is started again. */
export const WORKER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** What a worker is called that was given no name: as its host is. */
export function workerNameOf(host: string): string {
  const name = host
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 63);
  return name === '' ? 'worker' : name;
}

/** The key of a run that belongs to a worker: runs of one worker exclude each other, those of different ones do not. */
export function keyOn(key: string, worker: string): string {
  return `${key}#${worker}`;
}

interface RunOnTask {
  runOn?: RunOn | undefined;
  schedule: { kind: string; maxRuns?: number | undefined };
  pauseAfterFailures?: number | undefined;
  onFleetStart?: boolean | undefined;
}

interface Problem {
  path: string[];
  message: string;
}

/** What a task with `runOn` may not say besides, as it counts one run an occurrence. */
export function runOnProblems({ runOn, schedule, pauseAfterFailures, onFleetStart }: RunOnTask): Problem[] {
  if (runOn === undefined) return [];
  const problems: (Problem & { holds: boolean })[] = [
    {
      holds: schedule.kind === 'fixed-delay',
      path: ['schedule', 'kind'],
      message:
        "'fixed-delay' counts from the end of one run, and with runOn: 'every-worker' each worker has its own; use 'every'",
    },
    {
      holds: schedule.maxRuns !== undefined,
      path: ['schedule', 'maxRuns'],
      message: `${schedule.maxRuns} would count the runs of all workers, however many there are; use endAt with runOn`,
    },
    {
      holds: pauseAfterFailures !== undefined,
      path: ['pauseAfterFailures'],
      message: `${pauseAfterFailures} failures on one worker would pause the task on all; use onFailure or notify with runOn`,
    },
    {
      holds: onFleetStart === true,
      path: ['onFleetStart'],
      message: 'true: the start of the fleet is not that of each worker; leave it out with runOn',
    },
  ];
  return problems.filter(({ holds }) => holds).map(({ path, message }) => ({ path, message }));
}

/** Who a run waits for that belongs to a worker: `worker web-1, which was away since 2026-01-30T03:00:00.000Z,`. */
export function workerWords(worker: string, away: WorkerAway | null): string {
  if (away === null) return `worker ${worker}`;
  return `worker ${worker}, which was ${awayWords(away)},`;
}

export function awayWords({ heardAt }: WorkerAway): string {
  return heardAt === null ? 'away' : `away since ${heardAt}`;
}

/** A worker that sends no heartbeats. */
export interface WorkerAway {
  /** Its last one, in ISO 8601; null: not known, or too long ago. */
  heardAt: string | null;
}

/** How it is worded that nobody expects the worker of a run any more. */
export function goneReason(worker: string, away: WorkerAway, attempt: number): string {
  const words = `it belongs to worker ${worker}, which is ${awayWords(away)} and no longer expected`;
  return attempt === 0 ? words : `${words}; its attempt ${attempt} did not end there`;
}

import type { LinkProps } from '@tanstack/react-router';
import type { components } from '../../api/generated/openapi.ts';
import { isOfRedis, isRedisAway } from '../../api/redis-away.ts';
import { toAbout, toAlerts, toErrors, toFleet, toRecovery, toRun, toRuns, toTask, toTasks } from '../../links.ts';
import type { Shape, Tone } from '../../states.ts';
import { durationWords } from '../../time/durations.ts';
import { words } from '../../words/index.ts';

type Schemas = components['schemas'];

/** Something that needs somebody: in words, and where its evidence is. */
export interface Thing {
  id: string;
  tone: Tone;
  shape: Shape;
  words: string;
  /** More about it, in small. */
  note: string | null;
  link: LinkProps;
  /** ISO 8601: since when. */
  since: string | null;
}

export type Stuck = Pick<Schemas['RunningRun'], 'id' | 'taskName' | 'startedAt' | 'usual'>;

export interface Known {
  fleet: Schemas['FleetFigures'];
  alerts: readonly Schemas['Alert'][];
  /** The alert that Redis is away, also one that nobody is told of yet. Null: it answers. */
  redisAway: Schemas['Alert'] | null;
  errors: readonly Schemas['ErrorGroup'][];
  tasks: readonly Schemas['TaskListed'][];
  /** Tasks whose schedules never fire; there may be more. */
  neverFire: { names: readonly string[]; more: boolean };
  /** Runs that have run for more than twice the p99 of their task. */
  stuck: readonly Stuck[];
  findings: Schemas['Examination']['findings'];
  missed: number;
  quarantined: number;
  /** How much more there is than was read: alerts that fire, errors; tasks that are paused or cannot be planned. */
  unread: { alerts: number; errors: number; tasks: boolean };
}

const { things: say } = words.now;

/** All that needs somebody, the worst first. */
export function thingsOf(known: Known): readonly Thing[] {
  const { fleet, errors, tasks, redisAway } = known;
  const alerts = known.alerts.filter((alert) => alert.state === 'firing' && !isRedisAway(alert));
  const findings = known.findings.filter((finding) => redisAway === null || !isOfRedis(finding));
  return [
    // Told before it has lasted, and first: it is the cause of most that is late beside it.
    ...(redisAway === null ? [] : [ofRedis(redisAway)]),
    ...ofFleet(fleet),
    ...alerts.map(ofAlert),
    ...errors.filter((group) => !isNotified(group, alerts)).map(ofError),
    ...known.stuck.filter(({ taskName }) => !isAlerted(taskName, 'slow', alerts)).map(ofStuck),
    ...ofCounts(known),
    // How things are set up needs somebody too, but not at this hour.
    ...findings.filter(({ level, subject }) => level === 'problem' && !isSaidOtherwise(subject)).map(ofFinding),
    ...tasks
      .filter((task) => task.state !== 'unplannable' || !isAlerted(task.name, 'unplannable', alerts))
      .flatMap(ofTask),
    ...ofNeverFire(known.neverFire),
    ...ofUnread(known.unread, tasks.length),
  ];
}

interface Read {
  fleet: Pick<Known['fleet'], 'alertsFiring'>;
  alerts: { items: readonly Pick<Schemas['Alert'], 'state'>[]; next: string | null };
  errors: { items: readonly unknown[]; total: number };
  tasks: { next: string | null };
}

/** How much more there is than these lists have. Alerts that do not fire yet are in theirs as well. */
export function unreadOf({ fleet, alerts, errors, tasks }: Read): Known['unread'] {
  const firing = alerts.items.filter(({ state }) => state === 'firing').length;
  return {
    alerts: alerts.next === null ? 0 : Math.max(0, fleet.alertsFiring - firing),
    errors: Math.max(0, errors.total - errors.items.length),
    tasks: tasks.next !== null,
  };
}

/** There is more that needs somebody than `thingsOf` names. */
export function isCut({ unread }: Known): boolean {
  return unread.alerts > 0 || unread.errors > 0 || unread.tasks;
}

/** Alerts tell of the failures of each of its tasks: they are the same failures. */
function isNotified({ tasks, taskCount }: Schemas['ErrorGroup'], alerts: Known['alerts']): boolean {
  return tasks.length === taskCount && tasks.every(({ name }) => isAlerted(name, 'failed', alerts));
}

function isAlerted(task: string, kind: string, alerts: Known['alerts']): boolean {
  return alerts.some((alert) => alert.taskName === task && alert.kind === kind);
}

function ofFleet({ schedulers, pools, frozen }: Known['fleet']): Thing[] {
  const workers = pools.reduce((sum, pool) => sum + pool.workers, 0);
  const bad = { tone: 'bad', shape: 'cross', link: toFleet(), since: null, note: null } as const;
  return [
    ...(schedulers === 0 ? [{ ...bad, id: 'schedulers', words: say.noSchedulers }] : []),
    ...(workers === 0 ? [{ ...bad, id: 'workers', words: say.noWorkers }] : []),
    ...(frozen ? [{ ...bad, id: 'freeze', tone: 'attention', shape: 'hand', words: say.freeze } as const] : []),
    ...pools
      .filter((pool) => pool.expectedWorkers !== null && pool.workers < pool.expectedWorkers && workers > 0)
      .map((pool) => ({
        ...bad,
        id: `pool ${pool.pool}`,
        words: say.pool(pool.pool, pool.workers, pool.expectedWorkers ?? 0),
      })),
  ];
}

function ofRedis({ since }: Schemas['Alert']): Thing {
  return {
    id: 'redis',
    tone: 'bad',
    shape: 'cross',
    words: say.redisAway,
    note: say.redisNote,
    link: toFleet(),
    since,
  };
}

function ofAlert({ id, summary, severity, why, runs, since }: Schemas['Alert']): Thing {
  const [run] = runs;
  const isBad = severity === 'critical';
  return {
    id: `alert ${id}`,
    tone: isBad ? 'bad' : 'attention',
    shape: isBad ? 'cross' : 'hand',
    words: summary,
    note: why.join('; ') || null,
    link: run ? toRun(run.id) : toAlerts(),
    since,
  };
}

function ofFinding({ subject, detail, fix }: Known['findings'][number]): Thing {
  return {
    id: `doctor ${subject} ${detail}`,
    tone: 'bad',
    shape: 'cross',
    words: say.doctor(subject, detail),
    note: fix ?? null,
    link: toAbout(),
    since: null,
  };
}

/** Those of the fleet's own processes are told above. */
function isSaidOtherwise(subject: string): boolean {
  return subject === 'Schedulers' || subject === 'Workers';
}

function ofError({ fingerprint, example, count, tasks, lastAt, lastRunId, taskCount }: Schemas['ErrorGroup']): Thing {
  const [first] = tasks;
  return {
    id: `error ${fingerprint}`,
    tone: 'bad',
    shape: 'cross',
    words: say.errors(example, count, taskCount === 1 && first ? first.name : say.tasks(taskCount)),
    note: null,
    link: toRun(lastRunId),
    since: lastAt,
  };
}

function ofStuck({ id, taskName, startedAt, usual }: Stuck): Thing {
  return {
    id: `stuck ${id}`,
    tone: 'attention',
    shape: 'clock',
    words: say.stuck(taskName),
    note: usual && say.stuckNote(durationWords(usual.p99Ms)),
    link: toRun(id),
    since: startedAt,
  };
}

function ofCounts({ fleet: { unknown, held }, missed, quarantined }: Known): Thing[] {
  const one = (id: string, count: number, look: { tone: Tone; shape: Shape; words: string }, query: string): Thing[] =>
    count === 0 ? [] : [{ ...look, id, note: null, link: toRuns(query), since: null }];
  return [
    ...one('unknown', unknown, { tone: 'attention', shape: 'question', words: say.unknown(unknown) }, 'state:unknown'),
    ...(held === 0 ? [] : [ofHeld(held)]),
    ...one(
      'quarantined',
      quarantined,
      { tone: 'bad', shape: 'hand', words: say.quarantined(quarantined) },
      'state:quarantined since:-24h',
    ),
    ...one('missed', missed, { tone: 'missed', shape: 'gap', words: say.missed(missed) }, 'state:missed since:-24h'),
  ];
}

function ofUnread({ alerts, errors, tasks }: Known['unread'], tasksRead: number): Thing[] {
  const bad = { tone: 'bad', shape: 'cross', note: null, since: null } as const;
  const paused = { ...bad, tone: 'attention', shape: 'hand' } as const;
  return [
    ...(alerts === 0 ? [] : [{ ...bad, id: 'more alerts', words: say.moreAlerts(alerts), link: toAlerts() }]),
    ...(errors === 0 ? [] : [{ ...bad, id: 'more errors', words: say.moreErrors(errors), link: toErrors() }]),
    ...(tasks
      ? [{ ...paused, id: 'more tasks', words: say.moreTasks(tasksRead), link: toTasks({ sort: 'state' }) }]
      : []),
  ];
}

function ofNeverFire({ names, more }: Known['neverFire']): Thing[] {
  if (names.length === 0) return [];
  const look = { tone: 'missed', shape: 'gap', words: say.neverFire(names, more), note: say.neverFireNote } as const;
  return [{ ...look, id: 'never fire', link: toTasks({ state: 'never_fires' }), since: null }];
}

function ofHeld(held: number): Thing {
  const look = { tone: 'attention', shape: 'hand', words: say.held(held) } as const;
  return { ...look, id: 'held', note: null, link: toRecovery(), since: null };
}

/** A pause that somebody has said an end of is theirs to end; one without is easily forgotten. */
function ofTask({ id, name, state, planError, pauses }: Schemas['TaskListed']): Thing[] {
  const base = { id: `task ${id}`, link: toTask(id) };
  if (state === 'unplannable')
    return [
      { ...base, tone: 'bad', shape: 'cross', words: say.unplannable(name, planError ?? ''), note: null, since: null },
    ];
  const pause = pauses.find(({ untilAt }) => untilAt === null);
  if (state !== 'paused' || !pause) return [];
  const { note, fromAt, createdBy } = pause;
  return [{ ...base, tone: 'attention', shape: 'hand', words: say.paused(name, createdBy), note, since: fromAt }];
}

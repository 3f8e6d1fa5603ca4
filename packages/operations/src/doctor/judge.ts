import {
  briefly,
  counted,
  DAY,
  inUtc,
  LEDGER_MOVES,
  MINUTE,
  queueBlockFix,
  queueBlockWords,
  type RedisSeen,
  SECOND,
  span,
} from '@escapement/core';
import type { DatabaseReport, LiveProcess } from '@escapement/store';
import { type Finding, ok, problem, warning } from './finding.ts';

const POSTGRES = 'Postgres';
/** `npm run verify` tries it. */
const OLDEST_POSTGRES = 150_000;

/** Judges Postgres' version, its settings that lose acknowledged data, and the backlog. */
export function judgeDatabase(report: DatabaseReport): Finding[] {
  const found: Finding[] = [ok(POSTGRES, `reachable, version ${report.version}`)];
  if (report.versionNumber < OLDEST_POSTGRES)
    found.push(problem(POSTGRES, `version ${report.version} is too old`, 'use Postgres 15 or later'));
  for (const [setting, on] of [
    ['fsync', report.fsync],
    ['full_page_writes', report.fullPageWrites],
  ] as const)
    if (!on) found.push(problem(POSTGRES, `${setting} is off: a crash can destroy the ledger`, `set ${setting} = on`));
  if (report.synchronousCommit === 'off')
    found.push(
      problem(POSTGRES, 'synchronous_commit is off: a crash loses acknowledged runs', 'set synchronous_commit = on'),
    );
  if (report.readOnly)
    found.push(problem(POSTGRES, 'it takes no writes (a standby, or read-only)', 'connect to the primary'));
  const blocked = report.blocked.map((block) => problem('Queues', queueBlockWords(block), queueBlockFix(block)));
  return [...found, ...blocked, ...judgeSession(report), ...judgePlace(report), ...judgeBacklog(report)];
}

/** Judges the settings that sessions were given and do not have: a pooler, say, has taken them away. */
function judgeSession({ strayed }: DatabaseReport): Finding[] {
  const said = Object.entries(strayed).map(([name, value]) => `${name} is ${value}`);
  if (said.length === 0) return [];
  return [
    problem(
      POSTGRES,
      `sessions do not have the settings they were given: ${said.join(', ')}`,
      'name Postgres itself in DATABASE_URL, or a pooler that leaves settings to sessions',
    ),
  ];
}

const REPORTED_MS = 7 * DAY;

function judgePlace({ saysPlace, movedAt, movedHow, now }: DatabaseReport): Finding[] {
  const found: Finding[] = [];
  if (!saysPlace)
    found.push(ok('Ledger', 'Postgres does not say which cluster it is: a restore is not noticed, though fences grow'));
  if (movedAt && movedHow && now.getTime() - movedAt.getTime() < REPORTED_MS)
    found.push(
      warning(
        'Ledger',
        `${LEDGER_MOVES[movedHow]} (noticed at ${inUtc(movedAt)}); fences go on above all before`,
        'what it has lost and what to look at: docs/how-to/back-up-and-restore.md',
      ),
    );
  return found;
}

function judgeBacklog({ overdue, pendingDeliveries, ...report }: DatabaseReport): Finding[] {
  const found: Finding[] = [];
  if (overdue > 0)
    found.push(
      problem(
        'Runs',
        `${counted(overdue, 'run')} overdue by more than 10 s, in no queue`,
        'is a scheduler alive, and Redis up?',
      ),
    );
  found.push(...judgePlans(report));
  if (pendingDeliveries > 0)
    found.push(
      warning('Alerts', `${counted(pendingDeliveries, 'message')} not sent yet`, 'see `escapement alerts deliveries`'),
    );
  return found;
}

function judgePlans({ planErrors, unplannable }: Pick<DatabaseReport, 'planErrors' | 'unplannable'>): Finding[] {
  const others = planErrors - unplannable.length;
  return [
    ...unplannable.map(({ name, why }) =>
      problem(
        'Tasks',
        `${name} cannot be planned, and makes no runs: ${why}`,
        `escapement tasks edit ${name}, or escapement tasks delete ${name}`,
      ),
    ),
    ...(others > 0
      ? [problem('Tasks', `${counted(others, 'more task')} cannot be planned`, 'see STATE in `escapement tasks list`')]
      : []),
  ];
}

const FEW_DAYS = 7;

/** Schedulers make partitions for three weeks to come. */
export function judgePartitions(daysAhead: number, withoutRights: readonly string[]): Finding {
  if (withoutRights.length > 0)
    return problem(
      'Partitions',
      `made by hand, without the rights of their table: ${briefly(withoutRights)}`,
      'a scheduler grants them within the hour, unless somebody else owns them: ALTER TABLE ... OWNER TO who owns the table run',
    );
  const days = Math.floor(daysAhead);
  if (days >= FEW_DAYS) return ok('Partitions', `made for ${counted(days, 'day')} to come`);
  return warning(
    'Partitions',
    `made for ${counted(days, 'day')} to come only; what falls later has to make its own`,
    'is a scheduler alive? See its log for errors of the `pruner`, and pg_stat_activity for who locks the table run',
  );
}

export function judgeMigrations(missing: readonly string[]): Finding {
  return missing.length === 0
    ? ok('Migrations', 'up to date')
    : problem(
        'Migrations',
        `missing: ${counted(missing.length, 'change')}: ${briefly(missing)}`,
        'run `escapement migrate`',
      );
}

/** Judges Redis' version, its settings that lose queued runs, and its role. */
export function judgeRedis(
  subject: string,
  report: RedisSeen,
  { allowEviction }: { allowEviction: boolean },
): Finding[] {
  const found: Finding[] = [ok(subject, `reachable, version ${report.version}`)];
  if (report.maxmemoryPolicy !== 'noeviction') {
    const detail = `maxmemory-policy is ${report.maxmemoryPolicy}: a full Redis drops queued runs and leases`;
    const fix = 'set maxmemory-policy noeviction';
    found.push(
      allowEviction
        ? warning(subject, `${detail} (allowed by ESCAPEMENT_ALLOW_EVICTION)`, fix)
        : problem(subject, detail, fix),
    );
  }
  if (!report.appendonly)
    found.push(
      warning(
        subject,
        'appendonly is off: after a crash of Redis the queue is rebuilt from the ledger, and runs start late',
        'set appendonly yes and appendfsync everysec',
      ),
    );
  if (report.role !== 'master') found.push(problem(subject, `it is a ${report.role}`, 'connect to the master'));
  if (report.cluster) found.push(problem(subject, 'it is a cluster', 'use a Redis by itself, or one with sentinels'));
  return found;
}

/** `offsetMs`: the server's clock minus that of the machine that has asked it. `machine`: whose that is. */
export function judgeClock(
  subject: string,
  offsetMs: number,
  maxOffsetMs: number,
  machine = "this machine's",
): Finding {
  const off = `clock ${span(Math.abs(offsetMs))} ${offsetMs < 0 ? 'behind' : 'ahead of'} ${machine}`;
  if (Math.abs(offsetMs) <= maxOffsetMs) return ok(subject, off);
  return problem(subject, `${off}, more than ${span(maxOffsetMs)}`, 'run an NTP client on both machines');
}

export interface Fleet {
  processes: readonly LiveProcess[];
  maxOffsetMs: number;
  /** Who asks, and the release of the time zone data that it goes by. */
  self: { id: string; tzVersion: string };
  /** Who has not sent a heartbeat for so long is dead. */
  deadAfterMs: number;
  /** Every pool may be without workers while it has nothing to do. Default: false. */
  mayHaveNoWorker?: boolean;
}

const STALE_PLANNER_MS = 30 * SECOND;

/** How long a process that vanished without a shutdown is spoken of. */
export const SPOKEN_OF_MS = 10 * MINUTE;

/** Judges schedulers and workers by what they wrote of themselves. */
export function judgeFleet(fleet: Fleet): Finding[] {
  const { processes: known, maxOffsetMs, self, deadAfterMs, mayHaveNoWorker = false } = fleet;
  const processes = known.filter(({ heartbeatAgeMs }) => heartbeatAgeMs <= deadAfterMs);
  const vanished = known.filter(({ heartbeatAgeMs }) => heartbeatAgeMs > deadAfterMs);
  const schedulers = processes.filter(({ role }) => role === 'scheduler');
  const workers = processes.filter(({ role }) => role === 'worker');
  return [
    ...judgeSchedulers(schedulers),
    judgeWorkers(workers, mayHaveNoWorker),
    ...processes
      .filter(({ clockOffsetMs }) => Math.abs(clockOffsetMs ?? 0) > maxOffsetMs)
      .map(({ id, clockOffsetMs }) =>
        problem(
          'Clocks',
          `${id} is ${clockOffsetMs} ms off Postgres' clock and takes no work`,
          'run an NTP client on its machine',
        ),
      ),
    ...judgeZones([...processes, self]),
    ...vanished.map(judgeVanished),
  ];
}

function judgeWorkers(workers: readonly LiveProcess[], mayHaveNone: boolean): Finding {
  if (workers.length > 0) return ok('Workers', `${workers.length} alive, ${counted(sum(workers), 'run')} going on`);
  if (mayHaveNone) return ok('Workers', 'none is alive, and no pool has to have one');
  return problem('Workers', 'none is alive', 'start one: `escapement start worker`, or its image');
}

/** The same schedule is due at another instant by other rules of its zone. */
function judgeZones(processes: readonly Pick<LiveProcess, 'id' | 'tzVersion'>[]): Finding[] {
  const versions = new Map<string, string[]>();
  for (const { id, tzVersion } of processes)
    if (tzVersion !== null) versions.set(tzVersion, [...(versions.get(tzVersion) ?? []), id]);
  if (versions.size < 2) return [];
  const who = [...versions]
    .sort()
    .map(([version, ids]) => `${version} (${ids[0]}${ids.length > 1 ? ` and ${ids.length - 1} more` : ''})`);
  return [
    warning(
      'Time zones',
      `not all go by the same release of the time zone data: ${briefly(who)}; a task may be due at other times by one than by another`,
      'run the same version of Node, or of the images, everywhere',
    ),
  ];
}

function judgeVanished({ id, role, host, pid, heartbeatAgeMs }: LiveProcess): Finding {
  return warning(
    role === 'worker' ? 'Workers' : 'Schedulers',
    `${id} (process ${pid} on ${host}) has been silent for ${span(heartbeatAgeMs)} without a shutdown: taken for dead`,
    role === 'worker' ? 'its runs are given to others; was it killed?' : 'was it killed?',
  );
}

function judgeSchedulers(schedulers: readonly LiveProcess[]): Finding[] {
  if (schedulers.length === 0)
    return [
      problem(
        'Schedulers',
        'none is alive: nothing is planned',
        'start one: `escapement start scheduler`, or its image',
      ),
    ];
  const ages = schedulers.flatMap(({ plannedAgeMs }) => (plannedAgeMs === null ? [] : [plannedAgeMs]));
  const last = Math.min(...ages);
  const alive = `${schedulers.length} alive`;
  if (ages.length === 0)
    return [problem('Schedulers', `${alive}, but no planner pass was ever completed`, 'see their log')];
  if (last > STALE_PLANNER_MS)
    return [problem('Schedulers', `${alive}, but the last planner pass was ${span(last)} ago`, 'see their log')];
  return [ok('Schedulers', `${alive}, last planner pass ${span(last)} ago`)];
}

function sum(workers: readonly LiveProcess[]): number {
  return workers.reduce((active, worker) => active + worker.activeRuns, 0);
}

import { type Emit, type EngineEvent, formatSpan } from '@escapement/core';
import type { TracedRun } from '@escapement/core/traces';
import type { Logger } from '@escapement/service';
import { type LedgerEvent, ledgerLine } from './ledger-line.ts';
import { type Line, line } from './line.ts';
import { type QueueEvent, queueLine } from './queue-line.ts';

/** Writes each event as a line. The one place where the words of the log are. */
export function logEvents(log: Logger, traceOf: TraceOf = () => undefined): Emit {
  return (event) => {
    const { level, fields, message } = lineOf(event);
    log[level](withTrace(fields, event, traceOf), message);
  };
}

/** The id of a run's trace. Undefined: nobody records it. */
export type TraceOf = (run: TracedRun) => string | undefined;

/** Under the name that OpenTelemetry gives it in logs that are not its own. */
function withTrace(fields: Line['fields'], event: EngineEvent, traceOf: TraceOf): Line['fields'] {
  const run = tracedRun(event);
  const trace = run && traceOf(run);
  return trace === undefined ? fields : { ...fields, trace_id: trace };
}

function tracedRun(event: EngineEvent): TracedRun | undefined {
  switch (event.event) {
    case 'run_started':
    case 'run_lost':
      return { id: event.run, traceparent: event.traceparent };
    case 'run_finished':
      return { id: event.run, traceparent: event.traced.traceparent };
    default:
      return undefined;
  }
}

export function lineOf(event: EngineEvent): Line {
  switch (event.event) {
    case 'planned':
      return line('debug', event, 'planned', ['tasks', 'runs', 'tookMs']);
    case 'misfires':
      return line('info', event, 'runs that no worker had started in time were judged', ['caughtUp', 'held', 'missed']);
    case 'plan_failed':
      return {
        level: 'error',
        fields: { task: event.task, err: event.error },
        message: 'task cannot be planned; trying again later',
      };
    case 'dispatched':
      return line('debug', event, 'dispatched', ['runs']);
    case 'run_started':
      return line('debug', event, 'run started', ['task', 'run', 'attempt', 'latenessMs']);
    case 'run_finished':
      return finishedLine(event);
    case 'run_waiting':
      return event.reason === undefined
        ? line('info', event, 'run waits for its key', ['task', 'run', 'key', 'blockedBy'])
        : line('info', event, 'run waits for a rate', ['task', 'run', 'reason']);
    case 'run_not_started':
      return line('info', event, `run ${event.state}`, ['task', 'run', 'key', 'reason']);
    case 'dispatch_failed':
    case 'drift':
    case 'queue_blocked':
    case 'queues_open':
    case 'repeatable_jobs_changed':
      return queueLine(event);
    case 'pruned':
      return line('info', event, 'ledger pruned', ['runs', 'partitionsMade', 'partitionsDropped']);
    case 'partitions_without_rights':
      return partitionsLine(event);
    case 'fleet_started':
    case 'zone_changed':
    case 'backfill_ended':
      return fleetLine(event);
    case 'task_changed':
      return line('info', event, 'task changed, as was asked for', ['task', 'version']);
    case 'task_change_failed':
      return {
        level: 'error',
        fields: { task: event.task, err: event.error },
        message: 'change of a task cannot be carried out; not tried again',
      };
    case 'code_task_saved':
    case 'code_task_yields':
    case 'code_task_refused':
    case 'code_tasks_left':
      return codeTaskLine(event);
    case 'calls_grouped':
    case 'ledger_verified':
    case 'ledger_finding':
    case 'planners_silent':
    case 'ledger_moved':
      return ledgerLine(event);
    case 'request_answered':
      return requestLine(event);
    default:
      return troubleLine(event);
  }
}

/** Who only looks is heard of where somebody debugs. */
function requestLine(event: Extract<EngineEvent, { event: 'request_answered' }>): Line {
  const level = event.status >= 500 ? 'warn' : event.changes ? 'info' : 'debug';
  return line(level, event, 'request answered', ['request', 'method', 'route', 'status', 'tookMs']);
}

type Finished = Extract<EngineEvent, { event: 'run_finished' }>;

function finishedLine(event: Finished): Line {
  const { task, run, state, reason, attempt, durationMs, latenessMs } = event;
  return {
    // Always info: warnings are rationed, and no run may go unseen.
    level: 'info',
    fields: { task, run, attempt, durationMs, latenessMs, ...(reason === null ? {} : { reason }) },
    message: `run ${state} after ${formatSpan(durationMs)}`,
  };
}

type FleetEvent = Extract<EngineEvent, { event: 'fleet_started' | 'zone_changed' | 'backfill_ended' }>;

function fleetLine(event: FleetEvent): Line {
  switch (event.event) {
    case 'fleet_started':
      return line('info', event, 'fleet came up; tasks for that are started', ['tasks']);
    case 'zone_changed':
      return line('warn', event, 'the rules of a time zone have changed; see `escapement tzdata`', [
        'zone',
        'tzVersion',
        'replanned',
      ]);
    case 'backfill_ended':
      return line(event.error === null ? 'info' : 'warn', event, `backfill ${event.state}`, [
        'backfill',
        'task',
        'error',
      ]);
  }
}

type CodeTaskEvent = Extract<
  EngineEvent,
  { event: 'code_task_saved' | 'code_task_yields' | 'code_task_refused' | 'code_tasks_left' }
>;

function codeTaskLine(event: CodeTaskEvent): Line {
  switch (event.event) {
    case 'code_task_saved':
      return line('info', event, `task ${event.kind} from code`, ['task', 'version']);
    case 'code_task_yields':
      return line('info', event, "this worker's code leaves the task as it is", ['task', 'why']);
    case 'code_task_refused': {
      const { code, fix, message } = event.error;
      return { level: 'error', fields: { task: event.task, code, fix }, message };
    }
    case 'code_tasks_left':
      return line('warn', event, 'tasks that have left the code are paused', ['tasks']);
  }
}

type Trouble = Exclude<
  EngineEvent['event'],
  | 'planned'
  | 'misfires'
  | 'plan_failed'
  | 'dispatched'
  | 'run_started'
  | 'run_finished'
  | 'run_waiting'
  | 'run_not_started'
  | 'pruned'
  | 'partitions_without_rights'
  | FleetEvent['event']
  | 'task_changed'
  | 'task_change_failed'
  | CodeTaskEvent['event']
  | LedgerEvent['event']
  | QueueEvent['event']
  | 'request_answered'
>;

function troubleLine(event: Extract<EngineEvent, { event: Trouble }>): Line {
  switch (event.event) {
    case 'run_lost':
      return line(event.state === 'cancelled' ? 'info' : 'error', event, `run ${event.state}: its worker vanished`, [
        'task',
        'run',
        'attempt',
        'lost',
        'worker',
        'reason',
      ]);
    case 'finish_refused':
    case 'finish_failed':
    case 'begin_failed':
      return unwrittenLine(event);
    case 'job_refused':
      return refusedLine(event);
    case 'next_has_passed':
    case 'handler_abandoned':
    case 'loop_blocked':
    case 'stray_error':
    case 'leftovers':
      return handlerLine(event);
    case 'log_lost':
      return {
        level: 'warn',
        fields: { run: event.run, characters: event.characters, err: event.error },
        message: 'output of a run could not be kept',
      };
    case 'delivery_sent':
    case 'delivery_failed':
    case 'followers_failed':
      return afterwardsLine(event);
    case 'read_answered':
      return line('debug', event, 'read answered', ['by']);
    case 'standby_serves':
      return line('info', event, 'what is only shown is read from the standby', []);
    case 'standby_left':
      return line('warn', event, 'the standby cannot be read from for now: the primary serves', ['why']);
    case 'clock_off':
      return line('error', event, 'clock is too far off that of Postgres: taking no work', ['offsetMs', 'maxMs']);
    case 'clock_ok':
      return line('info', event, 'clock agrees with that of Postgres', ['offsetMs']);
    case 'heartbeat_failing': {
      // A scheduler holds no runs.
      const stopping = event.activeRuns > 0 ? ': handlers whose lease it cannot prove either are stopped' : '';
      return line('error', event, `Postgres has not heard of this process for too long${stopping}`, [
        'sinceMs',
        'activeRuns',
      ]);
    }
    case 'heartbeat_ok':
      return line('info', event, 'Postgres hears of this process again', []);
  }
}

type Unwritten = Extract<EngineEvent, { event: 'finish_refused' | 'finish_failed' | 'begin_failed' }>;

function unwrittenLine(event: Unwritten): Line {
  switch (event.event) {
    case 'finish_refused':
      return line('warn', event, 'result refused: the run has gone to somebody else meanwhile', [
        'task',
        'run',
        'attempt',
      ]);
    case 'finish_failed':
      return {
        level: 'error',
        fields: { task: event.task, run: event.run, err: event.error },
        message: 'result could not be written; the reconciler decides',
      };
    case 'begin_failed':
      return {
        level: 'error',
        fields: { run: event.run, err: event.error },
        message: 'run could not be begun; the reconciler brings it back',
      };
  }
}

type Refused = Extract<EngineEvent, { event: 'job_refused' }>;

const REFUSED: Readonly<Record<Refused['why'], string>> = {
  not_there: 'names a run that is not in this namespace',
  other_queue: 'names a run of another queue',
  malformed: 'is none of ours',
};

function refusedLine({ queue, run, why, detail }: Refused): Line {
  return {
    level: 'warn',
    fields: { queue, ...(run === null ? {} : { run }), ...(detail === undefined ? {} : { detail }) },
    message: `a job in Redis ${REFUSED[why]}; dropped`,
  };
}

type Afterwards = Extract<EngineEvent, { event: 'delivery_sent' | 'delivery_failed' | 'followers_failed' }>;

/** What is done once something has begun or ended. */
function afterwardsLine(event: Afterwards): Line {
  switch (event.event) {
    case 'delivery_sent':
      return line('info', event, 'alerts sent', ['receiver', 'alerts', 'delivery']);
    case 'delivery_failed':
      return line(event.givenUp ? 'error' : 'warn', event, event.givenUp ? 'alerts given up' : 'alerts not sent yet', [
        'receiver',
        'alerts',
        'delivery',
        'error',
      ]);
    case 'followers_failed': {
      const then = event.givenUp ? 'given up, see `escapement runs show`' : 'trying again later';
      return line(event.givenUp ? 'error' : 'warn', event, `what follows a run could not be started; ${then}`, [
        'task',
        'run',
        'what',
        'error',
      ]);
    }
  }
}

type Lacking = Extract<EngineEvent, { event: 'partitions_without_rights' }>;

function partitionsLine({ partitions }: Lacking): Line {
  const given = partitions.filter(({ granted }) => granted).map(({ name }) => name);
  const owned = partitions.filter(({ granted }) => !granted).map(({ name }) => name);
  const message = 'partitions that were made by hand lacked the rights of their table';
  if (owned.length === 0) return { level: 'warn', fields: { given }, message: `${message}, and have them now` };
  const fix = 'somebody else owns them: ALTER TABLE ... OWNER TO the owner of the table run; see escapement doctor';
  return { level: 'error', fields: { given, owned, fix }, message };
}

type HandlerTrouble = Extract<
  EngineEvent,
  { event: 'next_has_passed' | 'handler_abandoned' | 'loop_blocked' | 'stray_error' | 'leftovers' }
>;

function handlerLine(event: HandlerTrouble): Line {
  switch (event.event) {
    case 'next_has_passed':
      return line('warn', event, 'a task asks for its next run at a date that has passed; it follows a second later', [
        'task',
        'run',
        'at',
      ]);
    case 'handler_abandoned':
      return line('error', event, 'handler did not end after its abort; left to itself', ['task', 'run', 'waitedMs']);
    case 'loop_blocked': {
      const whose =
        event.where === 'worker' ? "this worker's event loop was blocked" : 'a handler blocks its event loop';
      return line('warn', event, whose, ['runs', 'blockedMs']);
    }
    case 'leftovers':
      return line('warn', event, 'a run left something behind in its process', ['task', 'run', 'what', 'then']);
    case 'stray_error':
      return {
        level: 'error',
        fields: { task: event.task, run: event.run, err: event.error },
        message: `a handler threw outside its promise${event.late ? ', after its run had ended' : ': its run has failed'}`,
      };
  }
}

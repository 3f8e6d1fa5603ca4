import type { RunError, RunState } from '@escapement/core';
import type { Notice } from './notice.ts';

const MAX_SUBJECT = 200;
const MAX_TAIL_LINES = 100;
const MAX_TAIL_CHARACTERS = 16 * 1024;

const WORDS: Partial<Record<RunState, string>> = {
  timed_out: 'ran out of time',
  quarantined: 'was quarantined',
  unknown: 'was cut off, and a person must say what became of it',
  missed: 'was missed',
  skipped: 'was skipped',
  cancelled: 'was cancelled',
};

/** One line: what happened to which task, and when it was due. */
export function noticeSubject(notice: Notice): string {
  const namespace = notice.namespace === 'default' ? '' : ` (${notice.namespace})`;
  const line = `[Escapement] ${notice.taskName}${namespace} ${wordOf(notice.state)}, due ${instant(notice.scheduledFor)}`;
  return oneLine(line).slice(0, MAX_SUBJECT);
}

/** The body of a mail. */
export function noticeText(notice: Notice): string {
  const facts: [string, string | undefined][] = [
    ['Task', `${notice.taskName} (namespace ${notice.namespace})`],
    ['Run', notice.runId],
    ['State', notice.state],
    ['Reason', notice.reason],
    ['Due', instant(notice.scheduledFor)],
    ['Ended', instant(notice.endedAt)],
    ['Attempts', String(notice.attempt)],
    ['Worker', notice.worker],
  ];
  const lines = facts.flatMap(([name, value]) => (value ? [`${`${name}:`.padEnd(10)}${oneLine(value)}`] : []));
  const parts = [
    `${notice.taskName} ${wordOf(notice.state)}.`,
    lines.join('\n'),
    notice.pausedTask && pausedText(notice.pausedTask, notice.taskName),
    notice.error && errorText(notice.error),
    notice.logTail?.trim() && `The end of its log:\n\n${indented(tailOf(notice.logTail))}`,
    `All of it: escapement runs show ${notice.runId}`,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** The body of a webhook's POST. Fields are only ever added. */
export interface NoticeJson {
  version: 1;
  id: string;
  /** One line for chat: the key that Slack, Mattermost and others show. */
  text: string;
  namespace: string;
  task: string;
  runId: string;
  state: RunState;
  reason: string | null;
  error: { name: string; message: string } | null;
  attempt: number;
  /** ISO 8601, UTC. */
  scheduledFor: string;
  /** ISO 8601, UTC. */
  endedAt: string;
  worker: string | null;
  logTail: string | null;
  /** Why this failure has paused the task; null: it has not. */
  pausedTask: string | null;
}

export function noticeJson(notice: Notice): NoticeJson {
  const { error } = notice;
  const why = oneLine(error?.message ?? notice.reason ?? '');
  return {
    version: 1,
    id: notice.id,
    text: `${noticeSubject(notice)}${why ? `: ${why.slice(0, 300)}` : ''}`,
    namespace: notice.namespace,
    task: notice.taskName,
    runId: notice.runId,
    state: notice.state,
    reason: notice.reason ?? null,
    error: error ? { name: error.name, message: error.message } : null,
    attempt: notice.attempt,
    scheduledFor: notice.scheduledFor.toISOString(),
    endedAt: notice.endedAt.toISOString(),
    worker: notice.worker ?? null,
    logTail: notice.logTail === undefined ? null : tailOf(notice.logTail),
    pausedTask: notice.pausedTask ?? null,
  };
}

function wordOf(state: RunState): string {
  return WORDS[state] ?? state;
}

function pausedText(why: string, task: string): string {
  return `The task is paused, and nothing of its schedule runs until somebody resumes it: ${oneLine(why)}.\nescapement tasks resume ${task}`;
}

function errorText(error: RunError): string {
  return `The error:\n\n${indented(error.stack ?? `${error.name}: ${error.message}`)}`;
}

function instant(at: Date): string {
  return `${at
    .toISOString()
    .replace('T', ' ')
    .replace(/(\.000)?Z$/, '')} UTC`;
}

function tailOf(log: string): string {
  return log.slice(-MAX_TAIL_CHARACTERS).trimEnd().split('\n').slice(-MAX_TAIL_LINES).join('\n');
}

function indented(text: string): string {
  return text.replace(/^/gm, '    ');
}

/** A newline in a subject would begin a header of its own. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
}

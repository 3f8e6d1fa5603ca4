import type { RunState } from '../run-state.ts';

export const SEVERITIES = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What an alert is about. */
export type AlertSubject = { task: string } | { pool: string } | { monitor: string } | { fleet: true };

/** A run that an alert is told by. */
export interface AlertRun {
  id: string;
  state: RunState;
  scheduledFor: Date;
  /** Why it ended so, as the ledger has it. */
  reason?: string;
}

/** What one alert says of itself to people. Its texts are plain: no markup, and no secret. */
export interface AlertNote {
  /** The same for as long as the alert lives. Receivers that know repetitions are given it as their key. */
  id: string;
  state: 'firing' | 'resolved';
  rule: string;
  severity: Severity;
  subject: AlertSubject;
  /** Rule, severity, task, pool or monitor, and the labels of the task or monitor. */
  labels: Readonly<Record<string, string>>;
  /** One line: what is wrong, as `billing/nightly failed 3 times in a row`. */
  summary: string;
  /** Since when it is so. */
  since: Date;
  /** With `resolved`: when it was over. */
  resolvedAt?: Date;
  /** Why: a reason of the ledger, the error, the release that failed first; a line each. */
  why: readonly string[];
  /** The latest runs that it is told by, the last one first. */
  runs: readonly AlertRun[];
  /** The end of the log of the last one. */
  logTail?: string;
  /** What to do next: sentences, and commands that begin with `escapement`. */
  next: readonly string[];
  /** The command that silences it. */
  silence: string;
}

/** How many alerts of each state. */
export interface AlertCounts {
  firing: number;
  resolved: number;
}

/** What a receiver is sent: all that its group has to say at once. At least one note; those that fire come first. */
export interface AlertMessage {
  /** The same for each try to send it, so that a receiver can tell a repetition. */
  id: string;
  namespace: string;
  /** The name of the receiver. */
  receiver: string;
  /** The same for all messages of a group. */
  group: string;
  notes: readonly AlertNote[];
  /** What it is about beside its notes, where there are too many for one message. Default: nothing. */
  more?: AlertCounts;
  /** It was told before, and is still so. */
  repeated: boolean;
}

import { type Handover, type Side, UNKNOWN_SIDE } from '@escapement/core/shadow';

/** Written once: who runs a task of a line of a crontab when, as SQL over the alias of a row of `task`. */

export interface HandoverRow {
  to: Side;
  at: string;
  isTaken: boolean;
  host: string;
}

const cutoversOf = (t: string) =>
  `cron_cutover c WHERE c.namespace = ${t}.namespace AND c.line = ${t}.rules->'shadow'->>'line' AND c.state <> 'refused'`;

/** The cut-overs of a task `t` in their order, those that were refused left out; null: it is of no line. */
export const HANDOVERS_OF_TASK = `CASE WHEN t.rules ? 'shadow' THEN (
    SELECT jsonb_agg(jsonb_build_object('to', c.to_side, 'at', c.at, 'isTaken', c.state = 'taken', 'host', c.host) ORDER BY c.at)
    FROM ${cutoversOf('t')}) END`;

export function toHandovers(rows: readonly HandoverRow[] | null | undefined): Handover[] {
  return (rows ?? []).map(({ at, ...row }) => ({ ...row, at: new Date(at) }));
}

/** The task is of a line that cron runs at an instant, or may run: nobody knows yet. */
export const isLeftToCron = (t: string, at: string): string =>
  `(${t}.rules ? 'shadow' AND NOT coalesce((SELECT c.to_side = 'fleet' AND c.state = 'taken' FROM ${cutoversOf(t)} AND c.at <= ${at}
    ORDER BY c.at DESC LIMIT 1), false))`;

/** When the fleet was last given a task; null: cron has it, or has had it always. */
export const leftByCronAt = (t: string): string =>
  `(CASE WHEN ${t}.rules ? 'shadow' THEN (SELECT max(c.at) FROM ${cutoversOf(t)} AND c.to_side = 'fleet' AND c.state = 'taken' AND c.at <= now()) END)`;

/** A run is held for a person. What is held until it is known whether cron runs it is for nobody to let go: it might run twice. */
export const isForAPerson = (r: string) =>
  `(${r}.state = 'held' AND coalesce(${r}.reason NOT LIKE '${UNKNOWN_SIDE}%', true))`;

import type { CronStart } from './pair-starts.ts';

/** What a host tells of one start by cron. Told first when the command has begun, and again when it has ended. */
export interface CronReport extends CronStart {
  /** A UUID that the host has made. */
  id: string;
  line: string;
  host: string;
  /** The line is the fleet's then: the command did not run. Default false. */
  leftToFleet?: boolean | undefined;
}

/** So many are told at once. */
export const MOST_REPORTS = 500;

/** So many lines a sender names, those that it has started last. */
export const MOST_LINES = 2000;

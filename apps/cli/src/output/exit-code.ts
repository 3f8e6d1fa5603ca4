import { USER_EXIT } from '@escapement/core';

/** What the command ends with; documented in docs/reference/cli.md. */
export const EXIT = {
  ok: 0,
  /** The answer is a bad one: the run failed, doctor found something. */
  failed: 1,
  /** The command line, a file or a value is wrong, or names something that does not exist. */
  usage: USER_EXIT.usage,
  /** Postgres or Redis cannot be reached, or the database lacks migrations. */
  unreachable: USER_EXIT.unreachable,
  /** `trigger --wait`: the run ended without having been carried out (skipped, cancelled, superseded). */
  notRun: 4,
  /** Ctrl-C while waiting, as shells count it. */
  interrupted: 130,
  /** A mistake in escapement itself. */
  internal: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

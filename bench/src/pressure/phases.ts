import { endSessions, holdIdleSessions, restartPostgres } from './on-sessions.ts';
import { holdTransaction, readUnderSnapshots } from './on-snapshots.ts';
import { killAgainAndAgain, killOnce } from './on-workers.ts';
import type { BeginPressure } from './pressure.ts';

export interface Phase {
  /** As `--only` names it. */
  name: string;
  title: string;
  /** The offered load, times the steady one. Default 1. */
  times?: number;
  begin?: BeginPressure;
}

/** All others are compared with this one. */
export const CLEAN: Phase = { name: 'clean', title: 'clean' };

/** The phases of github.com/hardbyte/postgresql-job-queue-benchmarking. The size of the burst is our own choice. */
export const PHASES: readonly Phase[] = [
  CLEAN,
  { name: 'holder', title: 'idle in transaction', begin: holdTransaction },
  { name: 'readers', title: 'four readers', begin: readUnderSnapshots },
  { name: 'load', title: '1.5 x load', times: 1.5 },
  { name: 'burst', title: 'burst, 8 x load', times: 8 },
  { name: 'restart', title: 'Postgres restart', begin: restartPostgres },
  { name: 'terminate', title: 'sessions ended, 2/s', begin: endSessions },
  { name: 'connections', title: '300 idle connections', begin: holdIdleSessions },
  { name: 'worker-kill', title: 'one worker kill', begin: killOnce },
  { name: 'worker-kills', title: 'repeated worker kills', begin: killAgainAndAgain },
];

/** The named phases in their order, the clean one always first. Throws for a name that is none. */
export function chosenPhases(names: readonly string[] | undefined): readonly Phase[] {
  const unknown = names?.find((name) => !PHASES.some((phase) => phase.name === name));
  if (unknown !== undefined)
    throw new Error(`--only ${unknown}: there are ${PHASES.map(({ name }) => name).join(', ')}`);
  return PHASES.filter((phase) => phase === CLEAN || (names?.includes(phase.name) ?? true));
}

import type { Database } from '@escapement/store';
import type { PressureFleet } from './fleet.ts';
import type { PressureServers } from './servers.ts';

/** What a phase acts on. */
export interface Ground {
  servers: PressureServers;
  fleet: PressureFleet;
  /** The driver's own connections. */
  db: Database;
  /** The first instant of the phase, and the first after it, by the wall clock. */
  fromMs: number;
  toMs: number;
}

/** Something that weighs on a fleet for a phase. */
export interface Pressure {
  /** Takes the weight away. Says in a sentence what there was. */
  end(): Promise<string>;
  /** Processor time in Postgres that the pressure itself used, which is none of the fleet's. Microseconds. */
  ownPostgresUs?(): number;
}

export type BeginPressure = (ground: Ground) => Promise<Pressure>;

/** A pressure that comes and goes by itself within the phase: its end waits until it is over. */
export function onItsOwn(work: Promise<string>): Pressure {
  // The end of the phase reports a failure.
  work.catch(() => undefined);
  return { end: () => work };
}

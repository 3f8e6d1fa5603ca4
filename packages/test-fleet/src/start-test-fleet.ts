import {
  actionOf,
  EscapementError,
  processPrincipal,
  systemClock,
  type TaskInput,
  taskDefinition,
} from '@escapement/core';
import { type EgressPolicy, parseEgress } from '@escapement/core/egress';
import type { CalendarSpec } from '@escapement/core/schedule';
import { saveCalendar, saveTask } from '@escapement/operations';
import { isTaskModule, type TaskModule } from '@escapement/sdk';
import { type Database, openDatabase } from '@escapement/store';
import { FleetClock } from './fleet-clock.ts';
import { fleetHandlers } from './fleet-handlers.ts';
import { createFleetProcesses } from './fleet-processes.ts';
import { type FleetServers, startFleetServers } from './fleet-servers.ts';
import { openFleet, type TestFleet } from './test-fleet.ts';

const BY = actionOf(processPrincipal('test'));

export interface TestFleetOptions {
  /** Tasks in code, and definitions of `shell` and `http` tasks. */
  tasks: readonly (TaskModule | TaskInput)[];
  /** The date of the fleet at its start. Default: the real date. */
  now?: Date | string | undefined;
  /** Calendars that tasks name. */
  calendars?: Readonly<Record<string, CalendarSpec>> | undefined;
  /** A Postgres in which databases may be made: the fleet makes one of its own and drops it. Default: a server of its own. */
  databaseUrl?: string | undefined;
  /** A Redis for tests: the fleet uses a namespace of its own there, whose keys stay. Default: a server of its own. */
  redisUrl?: string | undefined;
  /** Where requests of `http` tasks may go, as in `ESCAPEMENT_EGRESS`. Default: `public,loopback`. */
  egress?: string | undefined;
  /** How long to wait for work to be done before `fleet_busy` is thrown, in real milliseconds. Default 30,000. */
  patienceMs?: number | undefined;
  /** Gets a line for each step of finding or starting servers. Default: nothing is reported. */
  log?: ((line: string) => void) | undefined;
}

/** Starts a fleet with these tasks. Takes a second or two where it starts its own servers. */
export async function startTestFleet(options: TestFleetOptions): Promise<TestFleet> {
  refuseTwice(options.tasks.map(({ name }) => name));
  const clock = new FleetClock(instantOf(options.now));
  const { databaseUrl, redisUrl, log = () => undefined } = options;
  const servers = await startFleetServers({ databaseUrl, redisUrl, aheadMs: clock.aheadMs, log });
  const namespace = redisUrl === undefined ? 'default' : `test-${new URL(servers.databaseUrl).pathname.slice(-12)}`;
  const db = openDatabase({ url: servers.databaseUrl, namespace, applicationName: 'escapement test fleet' });
  try {
    return await start(options, { servers, db, clock });
  } catch (error) {
    await db.close();
    await servers.stop();
    throw error;
  }
}

interface Parts {
  servers: FleetServers;
  db: Database;
  clock: FleetClock;
}

async function start(options: TestFleetOptions, { servers, db, clock }: Parts): Promise<TestFleet> {
  const definitions = options.tasks.map((task) => (isTaskModule(task) ? task.toDefinition() : task));
  const egress = parseEgress(options.egress ?? 'public,loopback');
  const pools = new Set(definitions.map((definition) => taskDefinition.parse(definition).pool));
  const handlers = fleetHandlers(options.tasks.filter(isTaskModule), clock, egress);
  const { redisUrl, databaseUrl } = servers;
  const processes = createFleetProcesses({ db, redisUrl, pools: [...pools], handlers: handlers.lookup, clock });
  await processes.start();
  async function stop(): Promise<void> {
    await processes.stop();
    await handlers.stop();
    await db.close();
    await servers.stop();
  }
  try {
    for (const [name, calendar] of Object.entries(options.calendars ?? {})) await saveCalendar(db, name, calendar, BY);
    await saveAll(db, definitions, egress);
  } catch (error) {
    await processes.stop();
    throw error;
  }
  return openFleet({ db, clock, processes, databaseUrl, redisUrl, patienceMs: options.patienceMs, stop });
}

/** A task may name others, which have to be there first: what is refused for that is saved after the rest. */
async function saveAll(db: Database, definitions: readonly TaskInput[], egress: EgressPolicy): Promise<void> {
  const later: TaskInput[] = [];
  let refused: unknown;
  for (const definition of definitions) {
    try {
      await saveTask(db, definition, { source: 'code', by: BY, egress });
    } catch (error) {
      if (!(error instanceof EscapementError && error.code === 'unknown_task')) throw error;
      refused = error;
      later.push(definition);
    }
  }
  if (later.length === definitions.length && later.length > 0) throw refused;
  if (later.length > 0) await saveAll(db, later, egress);
}

function refuseTwice(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new EscapementError('duplicate_task', `startTestFleet: there are two tasks "${twice}"`, {
    fix: 'give one of them another name',
  });
}

function instantOf(now: Date | string | undefined): Date {
  const instant = now === undefined ? systemClock.now() : new Date(now);
  if (!Number.isNaN(instant.getTime())) return instant;
  throw new EscapementError('bad_date', `startTestFleet: now is ${String(now)}`, {
    fix: 'give a Date, or ISO 8601 text',
  });
}

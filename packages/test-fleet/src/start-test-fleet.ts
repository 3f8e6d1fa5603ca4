import { type CalendarSpec, EscapementError, systemClock, type TaskInput, taskDefinition } from '@escapement/core';
import { saveCalendar, saveTask } from '@escapement/operations';
import { isTaskModule, type TaskModule } from '@escapement/sdk';
import { type Database, openDatabase } from '@escapement/store';
import { FleetClock } from './fleet-clock.ts';
import { fleetHandlers } from './fleet-handlers.ts';
import { createFleetProcesses } from './fleet-processes.ts';
import { type FleetServers, startFleetServers } from './fleet-servers.ts';
import { openFleet, type TestFleet } from './test-fleet.ts';

const WHO = 'test';

export interface TestFleetOptions {
  /** Tasks in code, and definitions of `shell` and `http` tasks. */
  tasks: readonly (TaskModule | TaskInput)[];
  /** The fleet's date at its start. Default: the real one. */
  now?: Date | string | undefined;
  /** Calendars that tasks name. */
  calendars?: Readonly<Record<string, CalendarSpec>> | undefined;
  /** A Postgres in which databases may be made: the fleet makes one of its own and drops it. Default: a server of its own. */
  databaseUrl?: string | undefined;
  /** A Redis for tests: the fleet leaves keys of a namespace of its own in it. Default: a server of its own. */
  redisUrl?: string | undefined;
  /** How long, in real milliseconds, is waited for work to be done before it is an error. Default 30 s. */
  patienceMs?: number | undefined;
  /** Told in a line each how servers are found or started. Default: silent. */
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
  const pools = new Set(definitions.map((definition) => taskDefinition.parse(definition).pool));
  const handlers = fleetHandlers(options.tasks.filter(isTaskModule), clock);
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
    for (const [name, calendar] of Object.entries(options.calendars ?? {})) await saveCalendar(db, name, calendar, WHO);
    await saveAll(db, definitions);
  } catch (error) {
    await processes.stop();
    throw error;
  }
  return openFleet({ db, clock, processes, databaseUrl, redisUrl, patienceMs: options.patienceMs, stop });
}

/** A task may name others, which have to be there first: what is refused for that is saved after the rest. */
async function saveAll(db: Database, definitions: readonly TaskInput[]): Promise<void> {
  const later: TaskInput[] = [];
  let refused: unknown;
  for (const definition of definitions) {
    try {
      await saveTask(db, definition, { source: 'code', who: WHO });
    } catch (error) {
      if (!(error instanceof EscapementError && error.code === 'unknown_task')) throw error;
      refused = error;
      later.push(definition);
    }
  }
  if (later.length === definitions.length && later.length > 0) throw refused;
  if (later.length > 0) await saveAll(db, later);
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

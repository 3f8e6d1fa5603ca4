import { execFileSync } from 'node:child_process';
import { mkdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SECOND } from '@escapement/core';
import { afterFile, testServers } from '@escapement/testkit';
import pg from 'pg';
import { z } from 'zod';
import { during, type Fault, type Scene } from './fault.ts';

const AWAY_MS = 4 * SECOND;
const ADMIN_SESSIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'escapement%'`;

/** Somebody else's program takes each connection that Postgres has, and the fleet has lost its own. */
export const tooManyConnections: Fault = {
  name: 'postgres-connections-used-up',
  title: 'connections to Postgres used up',
  async inject({ postgres, ledger }) {
    const held: pg.Client[] = [];
    const injury = await during(
      AWAY_MS,
      async () => {
        await takeAll(postgres.url, held);
        await ledger.sql(ADMIN_SESSIONS);
        await takeAll(postgres.url, held);
      },
      () => Promise.all(held.map((client) => client.end())),
    );
    return { ...injury, detail: `${held.length} taken, ${injury.detail}` };
  },
};

/** Until Postgres refuses. */
async function takeAll(url: string, held: pg.Client[]): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url, application_name: 'hog' });
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === '53300') return;
      throw error;
    }
    held.push(client);
  }
}

const MB = 1 << 20;

/** The disk of the ledger is full: each row that needs another page is refused. Postgres' own log has another disk. */
export const diskFull: Fault = {
  name: 'postgres-disk-full',
  title: "Postgres' disk full",
  unavailable: () => (canMount() ? undefined : 'it needs the right to mount a small disk'),
  async inject({ ledger }) {
    const tables = z.array(z.object({ name: z.string() })).parse(await ledger.sql(CURRENT));
    const disk = await smallDisk(
      ledger,
      tables.map(({ name }) => name),
    );
    const before = await refusals(ledger);
    const injury = await during(
      AWAY_MS,
      async () => {
        disk.fill();
        await refusedSince(ledger, before);
      },
      () => disk.leave(),
    );
    const refused = (await refusals(ledger)) - before;
    if (refused === 0) throw new Error('nothing was refused');
    return { ...injury, detail: `${refused} transactions refused, ${injury.detail}` };
  },
};

/** Where rows are written now. */
const CURRENT = `SELECT p.name FROM (VALUES ('run'), ('attempt'), ('task_hour'), ('run_log_chunk')) AS t(name), partitions_of(t.name) p
  WHERE p.from_at <= now() AND p.to_at > now()`;

/** What is written now moves to a small disk, and from it. */
async function smallDisk(ledger: Scene['ledger'], tables: readonly string[]) {
  const [{ data, used }] = z
    .tuple([z.object({ data: z.string(), used: z.coerce.number() })])
    .parse(
      await ledger.sql(
        `SELECT current_setting('data_directory') AS data, sum(pg_table_size(name::regclass)) AS used FROM unnest($1::text[]) AS name`,
        [tables],
      ),
    );
  const dir = join(testServers().home, 'small-disk');
  mkdirSync(dir);
  const owner = statSync(data).uid;
  mount(dir, `size=${Math.ceil((2 * used) / MB) + 8}m,uid=${owner},mode=0700`);
  const unmount = () => {
    // Lazily: a session may keep a file open that is deleted.
    execFileSync('umount', ['-l', dir]);
    rmdirSync(dir);
  };
  afterFile(() => {
    if (statSync(dir, { throwIfNoEntry: false })) unmount();
  });
  await ledger.sql(`CREATE TABLESPACE small_disk LOCATION '${dir}'`);
  for (const table of tables) await ledger.sql(`ALTER TABLE ${table} SET TABLESPACE small_disk`);
  const filler = join(dir, 'filler');
  return {
    fill: () => fill(filler),
    async leave() {
      rmSync(filler);
      for (const table of tables) await ledger.sql(`ALTER TABLE ${table} SET TABLESPACE pg_default`);
      // Files of tables that have moved go with the next checkpoint.
      await ledger.sql('CHECKPOINT');
      await ledger.sql('DROP TABLESPACE small_disk');
      unmount();
    },
  };
}

/** Until there is not a page left. */
function fill(file: string): void {
  for (const bytes of [MB, 4096]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      // Full, but for what is smaller than this.
    }
  }
}

/** How long the pages that are there may have room for rows, while few are written. */
const ROOM_MS = 30 * SECOND;

/** Waits until the full disk has cost a transaction. */
async function refusedSince(ledger: Scene['ledger'], before: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < ROOM_MS; waitedMs += SECOND) if ((await refusals(ledger)) > before) return;
}

async function refusals(ledger: Scene['ledger']): Promise<number> {
  // Sessions tell their figures a second after the fact.
  await delay(1 * SECOND);
  const [row] = z
    .array(z.object({ n: z.coerce.number() }))
    .parse(await ledger.sql('SELECT xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()'));
  return row?.n ?? 0;
}

function canMount(): boolean {
  const dir = join(tmpdir(), `escapement-mount-${process.pid}`);
  mkdirSync(dir);
  try {
    mount(dir, 'size=1m');
    execFileSync('umount', [dir]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(dir);
  }
}

function mount(dir: string, options: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dir], { stdio: 'ignore' });
}

import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MINUTE, SECOND } from '@escapement/core';
import { saveTask, triggerTask } from '@escapement/operations';
import { openDatabase } from '@escapement/store';
import {
  administer,
  afterFile,
  asUser,
  by,
  type DatabaseUser,
  eventually,
  testDatabase,
  testRedis,
} from '@escapement/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBuilder, type Image } from './images/builder.ts';
import { type Container, healthy, startContainer } from './images/container.ts';

// What the Dockerfiles say is done in clean roots, as a builder would, and what comes of it is started as an engine would start it: on a
// read-only root, with the capabilities of docker-compose.yml, in a network of its own.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROGRAMS = ['scheduler', 'api', 'worker'] as const;
type Program = (typeof PROGRAMS)[number];
const BUILD_MS = 15 * MINUTE;
const START_MS = 60 * SECOND;
/** Of what an image has over that of Node. */
const MOST_MB = 150;
/** From SIGTERM to the end, with nothing to do. */
const STOP_MS = 15 * SECOND;

/** Needs root, Debian's files, and a kernel that lays folders over each other. */
function canBuild(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const tools = ['unshare', 'nsenter', 'setpriv', 'ip', 'dpkg-query'];
  if (!tools.every((each) => spawnSync('sh', ['-c', `command -v ${each}`]).status === 0)) return false;
  const mount = [
    'mount -t tmpfs t /mnt && mkdir /mnt/a /mnt/b /mnt/c',
    'mount -t overlay o -o lowerdir=/mnt/a:/mnt/b /mnt/c',
  ].join(' && ');
  return spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', 'sh', '-c', mount]).status === 0;
}

describe.skipIf(!canBuild())('the images', () => {
  let images: Record<Program, Image>;
  let start: (program: Program, more?: More) => Container;
  let url: string;
  const containers = new Map<Program, Container>();

  beforeAll(async () => {
    const builder = createBuilder(ROOT);
    afterFile(() => rmSync(builder.folder, { recursive: true, force: true }));
    const built = (program: Program) => builder.build(join(ROOT, 'apps', program, 'Dockerfile'));
    // One after the other: what they do alike is done once.
    images = { scheduler: await built('scheduler'), api: await built('api'), worker: await built('worker') };
    ({ url, start } = await servers(builder.folder, images));
  }, BUILD_MS);

  it('each is small', () => {
    // The last layer that a Dockerfile makes is what it copies from the build.
    for (const program of PROGRAMS) expect(megabytes(images[program].layers.at(-1))).toBeLessThan(MOST_MB);
  });

  it('that of the scheduler migrates the database, as the owner of the tables', async () => {
    const migrate = start('scheduler', { user: 'owner', command: ['escapement', 'migrate', '--roles'] });
    expect({ code: await migrate.exited, output: migrate.output() }).toMatchObject({ code: 0 });
  });

  it('each starts, on a root that cannot be written, and is healthy as its health check says', async () => {
    for (const program of PROGRAMS) containers.set(program, start(program));
    for (const container of containers.values()) await healthy(container, START_MS);
  });

  it('the worker runs a shell task as nobody, and the API shows the dashboard', async () => {
    expect(await ranInWorker(url)).toEqual({ state: 'succeeded', log: 'nobody\nread-only\n' });
    const ask = `fetch('http://127.0.0.1:4747/').then(async (r) => console.log(r.status, (await r.text()).includes('<html')))`;
    expect(await containers.get('api')?.exec(['node', '-e', ask])).toEqual({ code: 0, output: '200 true\n' });
  });

  it('each ends in time when it is told to', async () => {
    expect(containers.size).toBe(PROGRAMS.length);
    for (const [program, container] of containers) {
      const { code, tookMs } = await container.stop();
      expect({ program, code, output: container.output() }).toMatchObject({ code: 0 });
      expect(tookMs).toBeLessThan(STOP_MS);
    }
  });
});

interface More {
  /** Of Postgres. Default: that of the program. */
  user?: DatabaseUser;
  command?: string[];
}

/** A database without tables, a Redis, and what starts containers that reach both, each at 127.0.0.1 of its own network. */
async function servers(folder: string, images: Record<Program, Image>) {
  const { url } = await testDatabase({ empty: true });
  const redis = await testRedis();
  await administer(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} OWNER TO escapement_owner`);
  const ports = await Promise.all([forwarded(folder, 5432, url), forwarded(folder, 6379, redis.url)]);
  const inside = (server: string, port: number) => Object.assign(new URL(server), { host: `127.0.0.1:${port}` }).href;
  const start = (program: Program, { user = program, command }: More = {}) =>
    startContainer(images[program], {
      ports,
      ...(command && { command }),
      capabilities: program === 'worker' ? ['setuid', 'setgid', 'kill'] : [],
      env: {
        DATABASE_URL: inside(asUser(url, user), 5432),
        ...(program === 'api' ? {} : { REDIS_URL: inside(redis.url, 6379) }),
        ...(program === 'worker' ? { ESCAPEMENT_ALLOW_SHELL: 'true', ESCAPEMENT_RUN_AS: 'nobody' } : {}),
      },
    });
  return { url, start };
}

function megabytes(folder = ''): number {
  return Number(execFileSync('du', ['-sm', folder], { encoding: 'utf8' }).split('\t')[0]);
}

/** What a shell task of the worker says of where it is. */
async function ranInWorker(url: string): Promise<{ state: string; log: string }> {
  const db = openDatabase({ url, applicationName: 'test' });
  afterFile(() => db.close());
  const command = 'id -un; touch /app/x 2>/dev/null || echo read-only; touch "$(mktemp)"; mkfifo "$(mktemp -u)"';
  await saveTask(db, { name: 'where', handler: { type: 'shell', command } }, { source: 'test', by: by('test') });
  const id = await triggerTask(db, 'where', { by: by('test') });
  return await eventually(async () => {
    const { rows } = await db.pool.query<{ state: string; log: string }>(
      `SELECT r.state, (SELECT string_agg(l.text, '' ORDER BY l.seq) FROM run_log_chunk l WHERE l.run_id = r.id) AS log
       FROM run r WHERE r.id = $1 AND r.finished_at IS NOT NULL`,
      [id],
    );
    return rows[0] ?? expect.fail('the run has not ended');
  }, START_MS);
}

/** A server of this machine, for a container that has no network: a port there, and a Unix socket that leads to the server. */
async function forwarded(folder: string, port: number, url: string): Promise<[number, string]> {
  const { hostname, port: there } = new URL(url);
  const socket = join(folder, `${port}.sock`);
  const server = createServer((from) => {
    const to = connect(Number(there), hostname);
    from.pipe(to).pipe(from);
    from.on('error', () => to.destroy());
    to.on('error', () => from.destroy());
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  afterFile(() => server.close());
  return [port, socket];
}

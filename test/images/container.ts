import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterFile, eventually } from '@escapement/testkit';
import { type Image, lowerDirs } from './builder.ts';

export interface Container {
  /** Runs a command inside, as the user of the container. */
  exec(command: readonly string[]): Promise<{ code: number | null; output: string }>;
  /** As the image's health check does. */
  isHealthy(): Promise<boolean>;
  /** SIGTERM to its first process; resolves with its exit code, and how long it took in milliseconds. */
  stop(): Promise<{ code: number | null; tookMs: number }>;
  readonly exited: Promise<number | null>;
  readonly output: () => string;
}

export interface ContainerOptions {
  env: Record<string, string>;
  /** Instead of that of the image. */
  command?: readonly string[];
  /** For root: all others are gone for good. Others have none in any case. */
  capabilities?: readonly string[];
  /** Ports of its own loopback address, and the Unix socket here that each leads to. */
  ports: readonly [port: number, socket: string][];
}

/**
 * Everything is read-only but /tmp. Nothing of this machine's network is there but what is forwarded. The program is the first process, as in a
 * container without an init.
 */
const START = `set -e
mount -t overlay overlay -o "$OPTIONS" "$ROOT"
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
mount -t tmpfs tmpfs "$ROOT/tmp"
ip link set lo up
mkfifo "$ROOT/tmp/listens"
"$NODE" "$FORWARD" $PORTS >"$ROOT/tmp/listens" &
read -r _ <"$ROOT/tmp/listens"
rm "$ROOT/tmp/listens"
unset OPTIONS NODE FORWARD PORTS
exec chroot "$ROOT" "$@"`;
const FORWARD = fileURLToPath(new URL('./forward.mjs', import.meta.url));
const STOP_MS = 60_000;

export function startContainer(image: Image, options: ContainerOptions): Container {
  const asUser = asUserOf(image, options.capabilities ?? []);
  const env = { ...image.env, ...options.env };
  const child = spawnContainer([...asUser, ...(options.command ?? image.command)], {
    image,
    env,
    ports: options.ports,
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => lines.push(String(chunk)));
  const exited = ended(child);

  // This process is also the way to the servers: it must not stand still meanwhile.
  async function exec(command: readonly string[]) {
    const into = ['--target', String(firstProcess(child)), '--mount', '--net', '--pid', '--root'];
    const inside = spawn('nsenter', [...into, ...asUser, ...command], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    return { output: await text(inside.stdout), code: await ended(inside) };
  }
  return {
    exec,
    isHealthy: async () => (await exec(image.healthcheck)).code === 0,
    exited,
    output: () => lines.join(''),
    async stop() {
      const started = performance.now();
      process.kill(firstProcess(child), 'SIGTERM');
      const timeout = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      const code = await exited;
      clearTimeout(timeout);
      return { code, tookMs: performance.now() - started };
    },
  };
}

interface Spawned extends Pick<ContainerOptions, 'ports' | 'env'> {
  image: Image;
}

/** A command in namespaces of its own, with the root of the image. It is killed after the test file. */
function spawnContainer(command: readonly string[], { image, env, ports }: Spawned) {
  const root = mkdtempSync(join(tmpdir(), 'escapement-container-'));
  const unshare = ['--mount', '--net', '--pid', '--ipc', '--uts', '--fork', '--kill-child', 'sh', '-c', START, 'sh'];
  const child = spawn('unshare', [...unshare, ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...env,
      ROOT: root,
      OPTIONS: lowerDirs(image.layers),
      NODE: process.execPath,
      FORWARD,
      PORTS: ports.map(([port, socket]) => `${port}=${socket}`).join(' '),
    },
  });
  afterFile(() => {
    child.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true });
  });
  return child;
}

/** Resolves once it is healthy, as its health check says. */
export async function healthy(container: Container, patienceMs: number): Promise<void> {
  await eventually(async () => {
    if (!(await container.isHealthy())) throw new Error(`it is not healthy:\n${container.output()}`);
  }, patienceMs);
}

async function ended(child: ChildProcess): Promise<number | null> {
  return await new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode);
    else child.once('exit', resolve);
  });
}

/** No program gains privileges, and nobody has a capability that was not asked for. */
function asUserOf({ user, workdir }: Image, capabilities: readonly string[]): string[] {
  const id = user === 'root' ? '0' : '1000';
  const kept = ['-all', ...capabilities.map((each) => `+${each}`)].join();
  const ids = ['--reuid', id, '--regid', id, '--clear-groups'];
  return ['setpriv', ...ids, '--no-new-privs', '--bounding-set', kept, '--inh-caps', '-all', 'env', '-C', workdir];
}

/** The program, as this machine numbers it: the one child of unshare. */
function firstProcess({ pid }: ChildProcess): number {
  const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  if (!first) throw new Error('the container has ended');
  return first;
}

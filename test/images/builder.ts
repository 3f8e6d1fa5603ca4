import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { makeBase } from './base.ts';
import { copyContext } from './context.ts';
import { readDockerfile, type Stage, type Step } from './dockerfile.ts';

/** What was built: layers over each other, the lowest first, and how a container of it starts. */
export interface Image extends Pick<Stage, 'user' | 'ports' | 'command' | 'healthcheck'> {
  layers: string[];
  workdir: string;
  env: Record<string, string>;
}

interface State {
  layers: string[];
  workdir: string;
  env: Record<string, string>;
  /** Of all that was done so far: what was done before is not done again. */
  key: string;
}

export interface Builder {
  folder: string;
  build(dockerfile: string): Promise<Image>;
}

/** Does what Dockerfiles say, in roots of its own, as a builder does. Needs root, and a kernel that lays folders over each other. */
export function createBuilder(root: string): Builder {
  const folder = mkdtempSync(join(tmpdir(), 'escapement-images-'));
  const base = join(folder, 'base');
  makeBase(base);
  const made = new Map<string, string>();
  let count = 0;

  /** A layer that `fill` makes, unless the same was made for another image. */
  async function layer(state: State, what: string, fill: (layer: string) => Promise<void>): Promise<State> {
    const key = createHash('sha256').update(`${state.key}\0${what}`).digest('hex');
    let path = made.get(key);
    if (path === undefined) {
      path = join(folder, String(count++));
      mkdirSync(path);
      await fill(path);
      made.set(key, path);
    }
    return { ...state, key, layers: [...state.layers, path] };
  }

  async function take(state: State, step: Step, stages: Map<string | null, State>): Promise<State> {
    switch (step.kind) {
      case 'workdir':
        return { ...state, workdir: posix.resolve(state.workdir, step.path) };
      case 'env':
        return { ...state, env: { ...state.env, ...expanded(step.values, state.env) } };
      case 'run':
        return await layer(state, `${state.workdir} ${step.script}`, (upper) => runIn(state, step, upper));
      case 'copy': {
        const from = stages.get(step.from);
        const what = `${state.workdir} ${from?.key ?? 'context'} ${step.source} ${step.target}`;
        return await layer(state, what, async (upper) => {
          const target = join(upper, posix.resolve(state.workdir, step.target));
          mkdirSync(target, { recursive: true });
          if (from) await copyFrom(from, { source: step.source, target, root: `${upper}-root` });
          else copyContext(join(root, step.source), target);
        });
      }
    }
  }

  return {
    folder,
    async build(dockerfile) {
      const stages = new Map<string | null, State>();
      let last: Image | undefined;
      for (const { name, image, steps, user, ports, command, healthcheck } of readDockerfile(dockerfile)) {
        let state: State = { layers: [base], workdir: '/', env: { PATH }, key: image };
        for (const step of steps) state = await take(state, step, stages);
        stages.set(name, state);
        last = { ...state, user, ports, command, healthcheck };
      }
      if (!last) throw new Error(`${dockerfile} has no stage`);
      return last;
    },
  };
}

export const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function expanded(values: readonly [string, string][], env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    values.map(([name, value]) => [name, value.replaceAll(/\$\{?(\w+)\}?/g, (_, other: string) => env[other] ?? '')]),
  );
}

/** The option of mount(8) by which folders lie over each other, the first of them above. */
export const lowerDirs = (layers: readonly string[]): string => `lowerdir=${layers.toReversed().join(':')}`;

/** What is mounted is gone with the process that has mounted it. */
const RUN = `set -e
mount -t overlay overlay -o "$OPTIONS" "$ROOT"
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
touch "$ROOT/etc/resolv.conf"
mount --bind /etc/resolv.conf "$ROOT/etc/resolv.conf"
for each in $CACHED; do mkdir -p "$ROOT$each"; mount --bind "$CACHE" "$ROOT$each"; done
if [ -n "$AUTHORITIES" ]; then mkdir -p "$ROOT/run/ca"; touch "$ROOT/run/ca/all.pem"; mount --bind "$AUTHORITIES" "$ROOT/run/ca/all.pem"; fi
exec chroot "$ROOT" env -i -C "$WORKDIR" HOME=/root "$@"`;

/** How this machine gets to a registry; a builder has the same from its daemon. */
async function registryOf(): Promise<{ env: string[]; authorities: string }> {
  const { stdout } = await execute('npm', ['config', 'get', 'registry']);
  const registry = stdout.trim();
  const authorities = process.env.NODE_EXTRA_CA_CERTS ?? '';
  const trusted =
    authorities === '' ? [] : ['NODE_EXTRA_CA_CERTS=/run/ca/all.pem', 'npm_config_cafile=/run/ca/all.pem'];
  return { env: [`npm_config_registry=${registry}`, ...trusted], authorities };
}

async function runIn(state: State, step: Extract<Step, { kind: 'run' }>, upper: string): Promise<void> {
  const [work, mounted] = [`${upper}-work`, `${upper}-root`];
  for (const each of [work, mounted]) mkdirSync(each);
  const cache = join(homedir(), '.npm');
  mkdirSync(cache, { recursive: true });
  const { env: toRegistry, authorities } = await registryOf();
  const values = [...Object.entries(state.env).map(([name, value]) => `${name}=${value}`), ...toRegistry];
  const unshare = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', RUN, 'sh'];
  const child = spawn('unshare', [...unshare, ...values, 'sh', '-c', `exec 2>&1; ${step.script}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH,
      ROOT: mounted,
      WORKDIR: state.workdir,
      OPTIONS: `${lowerDirs(state.layers)},upperdir=${upper},workdir=${work}`,
      CACHED: step.cached.join(' '),
      CACHE: cache,
      AUTHORITIES: existsSync(authorities) ? authorities : '',
    },
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [output, code] = await Promise.all([text(child.stdout), ended]);
  if (code !== 0) throw new Error(`${step.script} ended with ${code}:\n${output}`);
}

interface Copied {
  source: string;
  target: string;
  /** Where the root of the stage is seen meanwhile. */
  root: string;
}

/** Out of the root of a stage. A folder's content goes into the target. */
async function copyFrom({ layers }: State, { source, target, root }: Copied): Promise<void> {
  mkdirSync(root);
  const script = 'mount -t overlay overlay -o "$1" "$2" && cp -a "$2$3/." "$4"';
  await execute('unshare', ['--mount', 'sh', '-c', script, 'sh', lowerDirs(layers), root, source, target]);
}

const execute = promisify(execFile);

// The command line as few files: reading 600 of them would take longer than most commands. In a clone bin/escapement.js sees
// to it that they are of the sources as they stand; `npm run build` writes them for what is installed.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withDirectImports } from './direct-imports.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = fileURLToPath(new URL('../dist/bundle', import.meta.url));
const listed = path.join(folder, 'bundle.json');

const OWN = ['package-lock.json', 'apps/cli/bundle/up-to-date.js', 'apps/cli/bundle/direct-imports.js'];

/** A command that runs may load what it has not loaded yet; none runs for longer without having done so. */
const KEPT_MS = 60 * 60 * 1000;

/**
 * What was built: the modules to start, and the sources it was made of, with their times.
 *
 * @typedef {{ entry: string, report: string, sources: Record<string, number> }} Bundle
 */

/** The bundle, made anew where a source has changed. Throws what esbuild says of a source that is none. */
export async function upToDate() {
  const bundle = read();
  if (bundle && Object.entries(bundle.sources).every(([file, ms]) => timeOf(file) === ms)) return;
  await write();
}

/** @returns {Bundle | undefined} */
function read() {
  try {
    return JSON.parse(readFileSync(listed, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {string} file from the root */
function timeOf(file) {
  return statSync(path.join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Writes the files beside those that are there, then, at once, which of them count: others may be reading. */
export async function write() {
  // Before they are read: one that changes meanwhile is read again the next time.
  const startedMs = Date.now();
  const { outputs, sources } = await bundle();
  mkdirSync(folder, { recursive: true });
  for (const { path: file, contents } of outputs) replace(file, contents);
  const times = Object.fromEntries(
    sources.map((file) => {
      const ms = timeOf(file);
      return [file, ms > startedMs ? 0 : ms];
    }),
  );
  replace(listed, JSON.stringify(listOf(outputs, times)));
  const kept = new Set([listed, ...outputs.map(({ path: file }) => file)]);
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    const ms = kept.has(file) ? undefined : statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (ms !== undefined && startedMs - ms > KEPT_MS) rmSync(file, { force: true });
  }
}

/**
 * What bundle.json says of these files.
 *
 * @param {readonly { path: string }[]} outputs
 * @param {Record<string, number>} sources
 */
export function listOf(outputs, sources) {
  const names = outputs.map(({ path: file }) => path.basename(file));
  const named = (/** @type {string} */ part) => names.find((name) => name.startsWith(part));
  return { entry: named('main-'), report: named('cron-report-'), sources };
}

/**
 * @param {string} file
 * @param {string | Uint8Array} contents
 */
function replace(file, contents) {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, contents);
  renameSync(unfinished, file);
}

/** The files of the bundle, and what each is made of. Writes nothing. */
export async function bundle() {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: {
      main: path.join(root, 'apps/cli/src/main.ts'),
      'cron-report': path.join(root, 'apps/cli/src/report/main.ts'),
    },
    absWorkingDir: root,
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['@escapement/source'],
    // What CommonJS has to load.
    external: ['pg', 'ioredis', 'bullmq', 'rrule', 'pino'],
    // CommonJS, commander for one, requires Node's own modules.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [ownPlaces],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const own = Object.keys(metafile.inputs).filter((file) => !file.includes('node_modules/'));
  return { outputs: outputFiles, metafile, sources: [...OWN, ...own].sort() };
}

/**
 * A source finds its migrations and its packages from where its own package is installed, not from where the bundle lies. And zod's `z` holds
 * its texts in 40 languages, unless it is taken as a namespace, of which the rest falls away.
 *
 * @type {import('esbuild').Plugin}
 */
const ownPlaces = {
  name: 'own places',
  setup(build) {
    build.onLoad({ filter: /[\\/](packages|apps)[\\/][^\\/]+[\\/]src[\\/].*\.ts$/ }, ({ path: file }) => {
      const [kind, name, ...rest] = path.relative(root, file).split(path.sep);
      const manifest = `import.meta.resolve('${kind === 'apps' ? 'escapement' : `@escapement/${name}`}/package.json')`;
      // As it was built: what a package starts lies beside that.
      const built = rest.join('/').replace(/^src\/(.*)\.ts$/, 'dist/$1.js');
      const contents = withDirectImports(readFileSync(file, 'utf8'), file, root)
        .replaceAll('import.meta.url', `new URL(${JSON.stringify(built)}, ${manifest}).href`)
        .replace("import { z } from 'zod';", "import * as z from 'zod';");
      return { contents, loader: 'ts' };
    });
  },
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await write();

// Makes a clone ready to run: packages installed, database client generated. Node built-ins only, because nothing may
// be installed yet. `npm run dev`, `npm run check` and `npm test` all begin here; when nothing is stale it costs a few ms. With --dev a new
// clone gets the packages of `npm run dev` alone, a third of all.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bin, root, run } from './process.mjs';

const MIN_NODE = { major: 20, minor: 19 };

// What npm hands to its scripts says how *this* npm was called (`--omit`, `--ignore-scripts`, ...) and must not reach the
// one that installs. How to get to the registry must.
const KEPT_NPM_CONFIG = [
  'registry',
  'userconfig',
  'cache',
  'ca',
  'cafile',
  'strict_ssl',
  'proxy',
  'https_proxy',
  'noproxy',
];

/** The workspaces that `npm run dev` runs; `tsx` is a dependency of one of them. */
const OF_DEV = ['packages/dev', 'apps/scheduler', 'apps/worker', 'apps/api', 'apps/cli', 'apps/dashboard'];
/** Stands behind the hash of the lock file if only their packages are installed. */
const PART = ' npm run dev';

const inRoot = (/** @type {string[]} */ ...parts) => path.join(root, ...parts);
const hashOf = (/** @type {string[]} */ ...texts) => createHash('sha256').update(texts.join('\0')).digest('hex');
const read = (/** @type {string} */ file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const say = (/** @type {string} */ text) => console.log(`set-up: ${text}`);

/**
 * Brings the clone up to date. Ends the process with 1 and a reason where that is impossible.
 *
 * @param {{ forDev?: boolean }} [options] `forDev`: the packages of `npm run dev` are enough. Default: all are needed
 */
export async function setUp({ forDev = false } = {}) {
  requireNode();
  await installPackages(forDev);
  await runListedScripts();
  await generateClient();
  await bundleCommandLine();
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > MIN_NODE.major || (major === MIN_NODE.major && minor >= MIN_NODE.minor)) return;
  fail(
    `Node ${MIN_NODE.major}.${MIN_NODE.minor} or newer is needed; this is ${process.version} (${process.execPath}).`,
  );
}

async function installPackages(/** @type {boolean} */ forDev) {
  const lock = inRoot('package-lock.json');
  const installed = inRoot('node_modules', '.package-lock.json');
  const stamp = inRoot('node_modules', '.escapement-lock-hash');
  const hash = hashOf(read(lock));
  const hasPart = existsSync(installed) && read(stamp).endsWith(PART);
  const isPart = forDev && (hasPart || !existsSync(installed));
  const reason =
    hasPart && !forDev
      ? 'only the packages of npm run dev are installed'
      : staleReason({ lock, installed, stamp, hash });
  if (reason) {
    say(`${reason}, installing them with npm ci (10 to 60 s)`);
    const started = performance.now();
    const workspaces = isPart ? OF_DEV.map((name) => `--workspace=${name}`) : [];
    const options = ['--include=dev', '--progress=false', '--no-audit', '--no-fund', ...workspaces];
    const { code, output } = await npm(['ci', ...options]);
    if (code !== 0) fail(`npm ci ended with ${code}:\n${output}`);
    say(`packages installed in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  }
  const mark = isPart ? hash + PART : hash;
  if (read(stamp) !== mark) writeFileSync(stamp, mark);
}

/**
 * `.npmrc` lets no package run a script when it is installed, whatever npm it is. Those that package.json lists under
 * `allowScripts` are run here.
 */
async function runListedScripts() {
  const stamp = inRoot('node_modules', '.escapement-scripts-hash');
  /** @type {{ allowScripts: Record<string, boolean> }} */
  const { allowScripts } = JSON.parse(read(inRoot('package.json')));
  const listed = Object.keys(allowScripts).filter(
    (name) => allowScripts[name] && existsSync(inRoot('node_modules', ...name.split('/'))),
  );
  const hash = hashOf(read(inRoot('package-lock.json')), ...listed);
  if (read(stamp) === hash) return;
  if (listed.length > 0) {
    const { code, output } = await npm(['rebuild', '--ignore-scripts=false', ...listed]);
    if (code !== 0) fail(`npm rebuild ended with ${code}:\n${output}`);
  }
  writeFileSync(stamp, hash);
}

/**
 * What npm says is for whoever has to mend something: what it warns of (settings that it does not know, packages that are
 * deprecated) would hide the few lines of ours.
 *
 * @param {string[]} args
 */
async function npm(args) {
  const cli = process.env.npm_execpath;
  const [command, ...first] = cli ? [process.execPath, cli] : ['npm'];
  return await run(command, [...first, ...args], { env: installEnv(), capture: true });
}

/** @param {{ lock: string, installed: string, stamp: string, hash: string }} files */
function staleReason({ lock, installed, stamp, hash }) {
  if (!existsSync(installed)) return 'the packages are not installed';
  if (statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return '';
  // git touches the lock file on a switch of branches there and back; what counts is its content.
  return read(stamp).split(' ')[0] === hash ? '' : 'the packages are older than package-lock.json';
}

function installEnv() {
  const kept = Object.entries(process.env).filter(([name]) => {
    const key = name.toLowerCase();
    return !key.startsWith('npm_config_') || KEPT_NPM_CONFIG.includes(key.slice('npm_config_'.length));
  });
  return Object.fromEntries(kept);
}

async function generateClient() {
  const schema = inRoot('prisma', 'schema.prisma');
  // Tests alone use it.
  if (!existsSync(schema) || !existsSync(bin('prisma'))) return;
  const target = inRoot('packages', 'store', 'test', 'generated');
  const stamp = path.join(target, '.schema-hash');
  const hash = hashOf(read(schema), read(inRoot('node_modules', 'prisma', 'package.json')));
  if (read(stamp) === hash) return;
  say('the database client is missing or older than prisma/schema.prisma, generating it');
  const { code, output } = await run(bin('prisma'), ['generate', '--schema', schema], {
    env: generateEnv(),
    capture: true,
  });
  if (code !== 0) fail(`prisma generate ended with ${code}:\n${output}`);
  mkdirSync(target, { recursive: true });
  writeFileSync(stamp, hash);
}

/** A source that is none is told by the checks; the command line itself says so too. */
async function bundleCommandLine() {
  if (!existsSync(inRoot('apps', 'cli', 'bundle'))) return;
  const { upToDate } = await import('../apps/cli/bundle/up-to-date.js');
  await upToDate().catch((/** @type {Error} */ { message }) => say(`the command line cannot be built: ${message}`));
}

/** `generate` needs no schema engine, but downloads one unless it is told of a file that exists. */
function generateEnv() {
  return {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  };
}

/**
 * @param {string} text
 * @returns {never}
 */
function fail(text) {
  console.error(`set-up: ${text}`);
  process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await setUp({ forDev: process.argv.includes('--dev') });

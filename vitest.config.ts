import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { defaultServerConditions, type Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { rewrite } from './packages/testkit/src/failpoints/rewrite.mjs';
import { BULK_STEPS, SCHEDULER_STEPS } from './test/chaos/scheduler-steps.ts';
import { FleetsFirst } from './test/sequencer.ts';

const source = '@escapement/source';
const globalSetup = fileURLToPath(new URL('packages/testkit/src/global-setup.ts', import.meta.url));

const setupFiles = [fileURLToPath(new URL('test/property-seed.ts', import.meta.url))];

/** Those of Node, which knows no `module`: what packages have under it is for bundlers. */
const conditions = [source, ...defaultServerConditions.filter((condition) => condition !== 'module')];

/** Packages are taken from their source, so that no test needs a build. */
const fromSource = {
  // No 'module' field either: packages resolve as they do in Node.
  resolve: { conditions, mainFields: [] },
  ssr: { resolve: { conditions } },
  // Where Vitest itself runs the global set-up.
  environments: { __vitest__: { resolve: { conditions } } },
};

const FOLDERS = ['packages/*/test', 'examples/test', 'apps/*/test', 'test'];

/** `npm run verify` runs the files that take five seconds to minutes: whole fleets, faults, a million rows, all time zones. */
const LONG = FOLDERS.map((folder) => `${folder}/**/*.long.test.ts`);
/** `npm run verify` runs the files that mostly wait for minutes of the clock beside the others. */
const WAITS = FOLDERS.map((folder) => `${folder}/**/*.waits.test.ts`);

const THREAD = 'packages/queue/src/lease/lease-thread.ts';
const PROCESS = 'packages/handlers/src/code/process/handler-process.ts';

/**
 * The thread and the processes that packages start run from the build, as in production: from source each start would take a
 * second of a processor. A thread would inherit Vitest's options of Node, by which packages are taken from source.
 */
const startsFromBuild: Plugin = {
  name: 'starts-from-build',
  enforce: 'pre',
  transform(code, id) {
    if (![THREAD, PROCESS].some((module) => id.endsWith(`/${module}`))) return;
    const built = pathToFileURL(id.replace('/src/', '/dist/').replace(/\.ts$/, '.js')).href;
    const patches = [
      ...[THREAD, PROCESS].map((module) => ({ module, find: 'import\\.meta\\.url', replace: JSON.stringify(built) })),
      { module: THREAD, find: '{ workerData, resourceLimits', replace: '{ workerData, execArgv: [], resourceLimits' },
    ];
    return { code: rewrite(id, code, { failpoints: [], patches }), map: null };
  },
};

const PASSWORD = 'packages/operations/src/access/password.ts';

/**
 * A password takes 0.3 s of a processor to check, on purpose, and some tests sign in a hundred times. `password.test.ts` has the real
 * cost. Here it is next to nothing. Each hash says its own cost, so that programs from the build check these as fast.
 */
const quickPasswords: Plugin = {
  name: 'quick-passwords',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith(`/${PASSWORD}`)) return;
    const cost = {
      module: PASSWORD,
      find: 'COST = \\{ logN: 15, r: 8, p: 3 \\}',
      replace: 'COST = { logN: 4, r: 1, p: 1 }',
    };
    return { code: rewrite(id, code, { failpoints: [], patches: [cost] }), map: null };
  },
};

/** The steps at which a test may stop what is at work in its own process: `killAfter`. */
const failpoints: Plugin = {
  name: 'failpoints',
  enforce: 'pre',
  transform(code, id) {
    const own = [...SCHEDULER_STEPS, ...BULK_STEPS].filter(({ module }) => id.endsWith(`/${module}`));
    return own.length === 0 ? undefined : { code: rewrite(id, code, { failpoints: own, patches: [] }), map: null };
  },
};

/** A failure may not come again: its message says the values, not how many fields they have. */
const wholeValues = { chaiConfig: { truncateThreshold: 2000 } };

/** For tests with servers and processes. */
const withServers = {
  ...wholeValues,
  setupFiles: [...setupFiles, fileURLToPath(new URL('packages/testkit/src/each-file.ts', import.meta.url))],
  // Each file of tests has its own database and Redis; a process and its modules are good for many files.
  isolate: false,
  pool: 'forks' as const,
  maxWorkers: 2,
  // For what hangs. Bounds of the product are asked for in fair time; a busy machine takes its time all the same.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
  globalSetup: existsSync(globalSetup) ? [globalSetup] : [],
};

export default defineConfig({
  test: {
    sequence: { sequencer: FleetsFirst },
    projects: [
      {
        ...fromSource,
        test: {
          name: 'unit',
          ...wholeValues,
          setupFiles,
          // They share nothing: a process and its modules are good for many files.
          isolate: false,
          // Vitest would leave one processor to whoever looks on: of two that is half.
          maxWorkers: 2,
          // Most take milliseconds; those that look at thousands of cases take seconds, and most of a minute where the machine is busy.
          testTimeout: 120_000,
          sequence: { groupOrder: 0 },
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/*/examples/**/*.test.ts',
            'examples/*.test.ts',
            'apps/*/src/**/*.test.ts',
            'bench/src/**/*.test.ts',
            'scripts/**/*.test.ts',
            'test/chaos/**/*.test.ts',
          ],
        },
      },
      {
        ...fromSource,
        plugins: [startsFromBuild, failpoints, quickPasswords],
        test: {
          name: 'int',
          ...withServers,
          sequence: { groupOrder: 1 },
          include: [
            'packages/*/test/**/*.test.ts',
            'examples/test/*.test.ts',
            'apps/*/test/**/*.test.ts',
            'test/*.test.ts',
          ],
          exclude: [...LONG, ...WAITS],
        },
      },
      {
        ...fromSource,
        plugins: [startsFromBuild, quickPasswords],
        test: {
          name: 'long',
          ...withServers,
          sequence: { groupOrder: 2 },
          include: LONG,
        },
      },
      {
        ...fromSource,
        plugins: [startsFromBuild, quickPasswords],
        test: {
          name: 'waits',
          ...withServers,
          sequence: { groupOrder: 5 },
          include: WAITS,
        },
      },
      {
        ...fromSource,
        // Started by `npm run chaos`.
        test: {
          name: 'chaos',
          ...wholeValues,
          sequence: { groupOrder: 3 },
          include: ['test/chaos/*.chaos.ts'],
          pool: 'forks',
          globalSetup: existsSync(globalSetup) ? [globalSetup] : [],
        },
      },
      {
        ...fromSource,
        // Started by `npm run upgrade`.
        test: {
          name: 'upgrade',
          ...withServers,
          sequence: { groupOrder: 4 },
          include: ['test/upgrade/*.upgrade.ts'],
        },
      },
    ],
  },
});

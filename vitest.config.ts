import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { defaultServerConditions, type Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { rewrite } from './packages/testkit/src/failpoints/rewrite.mjs';
import { BULK_STEPS, SCHEDULER_STEPS } from './test/chaos/scheduler-steps.ts';

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

/** Five seconds to minutes each: whole fleets, under faults too, a million rows, all time zones. `npm run verify` runs them. */
const LONG = [
  'apps/all/test/start-all.test.ts',
  'apps/cli/test/at-server.test.ts',
  'apps/cli/test/build.test.ts',
  'apps/cli/test/hostile.test.ts',
  'apps/cli/test/interrupt.test.ts',
  'apps/cli/test/mcp-process.test.ts',
  'apps/dashboard/test/access.test.ts',
  'apps/dashboard/test/calendars.test.ts',
  'apps/dashboard/test/crontabs.test.ts',
  'apps/dashboard/test/lists.test.ts',
  'apps/dashboard/test/long-log.test.ts',
  'apps/dashboard/test/outage.test.ts',
  'apps/dashboard/test/recovery.test.ts',
  'apps/dashboard/test/screens.test.ts',
  'apps/dashboard/test/session.test.ts',
  'apps/dashboard/test/task.test.ts',
  'apps/dashboard/test/two-tabs.test.ts',
  'apps/site/test/site.test.ts',
  'apps/worker/test/isolation.test.ts',
  'apps/worker/test/mixed-fleet.test.ts',
  'apps/worker/test/needs.test.ts',
  'apps/worker/test/rate.test.ts',
  'apps/worker/test/rolling-deploy.test.ts',
  'apps/worker/test/spread.test.ts',
  'examples/test/image-album.test.ts',
  'packages/api/test/fuzz.test.ts',
  'packages/core/test/random-points.test.ts',
  'packages/core/test/zone-sweep.test.ts',
  'packages/queue/test/lease-faults.test.ts',
  'packages/queue/test/redis-sentinel.test.ts',
  'packages/servers/test/crash.test.ts',
  'packages/servers/test/keep-running.test.ts',
  'packages/servers/test/killed-owner.test.ts',
  'packages/servers/test/order.test.ts',
  'packages/store/test/plans.test.ts',
  'packages/test-fleet/test/rate.test.ts',
  'packages/test-fleet/test/start.test.ts',
  'packages/worker/test/rate.test.ts',
  'test/alerts-of-a-fleet.test.ts',
  'test/alerts-of-jobs-elsewhere.test.ts',
  'test/canary-without-masker.test.ts',
  'test/canary.test.ts',
  'test/compose-servers.test.ts',
  'test/credentials-out-of-reach.test.ts',
  'test/dev-servers.test.ts',
  'test/docs-followed.test.ts',
  'test/end-to-end-kills.test.ts',
  'test/end-to-end-processes.test.ts',
  'test/end-to-end-servers.test.ts',
  'test/events-under-kills.test.ts',
  'test/examples.test.ts',
  'test/failed-over-fleet.test.ts',
  'test/followers-under-kills.test.ts',
  'test/http-story.test.ts',
  'test/images.test.ts',
  'test/installed-by-pnpm.test.ts',
  'test/installed-packages.test.ts',
  'test/many-hostile-rows.test.ts',
  'test/metrics-of-a-fleet.test.ts',
  'test/negative-controls.test.ts',
  'test/outages/*.test.ts',
  'test/other-redis.test.ts',
  'test/pgbouncer-fleet.test.ts',
  'test/catch-up-after-outages.test.ts',
  'test/random-histories.test.ts',
  'test/read-from-standby.test.ts',
  'test/restored-fleet.test.ts',
  'test/session-of-mutants.test.ts',
];

/** As long, and mostly waits for minutes of the clock: `npm run verify` runs them beside the others, one at a time. */
const WAITS = [
  'test/alerts-of-processes.test.ts',
  'test/alerts-of-tasks.test.ts',
  'test/cutover-of-a-real-cron.test.ts',
  'test/scaled-pools.test.ts',
  'test/shadow-of-cron.test.ts',
];

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
          maxWorkers: 1,
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

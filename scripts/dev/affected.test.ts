import { expect, test } from 'vitest';
import { affectedApps } from './affected.ts';

test.each([
  ['a package that all load', ['packages/core/src/clock.ts'], ['scheduler', 'worker', 'api']],
  ['the schema of the database', ['prisma/schema.prisma'], ['scheduler', 'worker', 'api']],
  ['what the API does without', ['packages/queue/src/redis/connection.ts'], ['scheduler', 'worker']],
  ['what only the API loads', ['packages/api/src/server.ts', 'apps/api/src/run-api.ts'], ['api']],
  ['an app of its own', ['apps/scheduler/src/main.ts'], ['scheduler']],
  ['the dashboard, which the API serves', ['apps/dashboard/src/main.tsx'], ['api']],
  ['a task', ['tasks/hello.ts'], ['worker']],
  ['an example', ['examples/mail-batch.ts'], ['worker']],
  ['what only the worker loads', ['packages/handlers/src/http.ts', 'packages/worker/src/worker.ts'], ['worker']],
  ['what only the scheduler loads', ['packages/scheduler/src/planner.ts'], ['scheduler']],
  ['what none loads', ['packages/testkit/src/index.ts', 'packages/servers/src/redis.ts'], []],
])('a change of %s restarts %j: %j', (_title, files, apps) => {
  expect(affectedApps(files)).toEqual(apps);
});

// `npm run dev`: servers, migrations, a scheduler, a worker and the API from source, until Ctrl-C. With `-- --examples` the
// worker has the tasks of examples/ too.
import { fileURLToPath } from 'node:url';
import { EscapementError } from '@escapement/core';
import { commandLine } from '@escapement/servers';
import { claimClone } from './claim.ts';
import { dashboardUrl, signInLink } from './dev-user.ts';
import { createFleet } from './fleet.ts';
import { say } from './output.ts';
import { allReady } from './ready.ts';

/** Ctrl-C must have ended everything after 5 s, whatever hangs; what is left then ends with this process. */
const HARD_EXIT_MS = 4_800;
const PARENT_CHECK_MS = 1_000;

const log = (line: string) => say('dev', line);
/** How npm calls this script; the ids of processes are recycled, so a living one may be something else. */
const COMMAND = 'scripts/dev/main.ts';
const stateFile = fileURLToPath(new URL('../../.escapement/dev.json', import.meta.url));

const withExamples = process.argv.includes('--examples');
const tasks = withExamples ? ['tasks', 'examples'] : ['tasks'];

const claim = await claimClone(stateFile, async (pid) => (await commandLine(pid)).includes(COMMAND));
if ('release' in claim) {
  const fleet = createFleet({ claim, tasks, log, onGivenUp: (error) => end(describe(error), 1) });
  const end: End = endOnce(async () => {
    await fleet.stop();
    claim.release();
  });
  listen(end);
  try {
    const { health, apiUrl, databaseUrl } = await fleet.start();
    if (await allReady(Object.values(health))) announce(apiUrl, await signInLink(databaseUrl, apiUrl));
  } catch (error) {
    end(describe(error), 1);
  }
} else {
  log(`npm run dev runs here already, as process ${claim.pid} since ${claim.startedAt}`);
  log(`end it with Ctrl-C in its terminal, or with: kill ${claim.pid}`);
  process.exitCode = 1;
}

type End = (reason: string, exitCode?: number) => void;

function endOnce(stop: () => Promise<void>): End {
  let ending = false;
  return (reason, exitCode = 0) => {
    if (ending) return;
    ending = true;
    log(`${reason}; stopping`);
    setTimeout(() => process.exit(1), HARD_EXIT_MS);
    stop()
      .then(() => log('stopped'))
      .catch((error) => log(describe(error)))
      .finally(() => process.exit(exitCode));
  };
}

function listen(end: End): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(signal));
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end('the process that started this one is gone');
  }, PARENT_CHECK_MS);
}

function announce(apiUrl: string, link: string): void {
  log(`ready in ${process.uptime().toFixed(1)} s; Ctrl-C stops everything`);
  log(`the dashboard: ${dashboardUrl(apiUrl)}`);
  log(`sign in to it by ${link} (once, within 15 minutes; another one: npm run sign-in)`);
  log(`tasks come from ${tasks.map((folder) => `${folder}/*.ts`).join(' and ')}: edit one, and the worker reloads`);
  if (withExamples) log('and those in YAML by: npx escapement apply -f examples/apply --set examples');
  else log('more of them, see examples/README.md: npm run dev -- --examples');
  log(`the API: curl -H "Authorization: Bearer $(cat .escapement/api-token)" ${apiUrl}/v1/tasks`);
  log(`all that it answers, as a page: ${apiUrl}/docs`);
  log('in another terminal: npx escapement tasks list, runs list, import crontab FILE --write');
}

function describe(error: unknown): string {
  if (error instanceof EscapementError) return `${error.message}${error.fix ? ` (${error.fix})` : ''}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

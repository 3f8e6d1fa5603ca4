import path from 'node:path';
import { EscapementError } from '@escapement/core';
import { commandLine } from '@escapement/servers';
import { claimFolder } from './claim.ts';
import { dashboardUrl, signInLink } from './dev-user.ts';
import { createFleet, type Started } from './fleet.ts';
import { terminalConfirm } from './joined-fleet.ts';
import type { Layout } from './layout.ts';
import { say } from './output.ts';
import { allReady } from './ready.ts';

/** Ctrl-C must have ended everything after 5 s, whatever hangs; what is left then ends with this process. */
const HARD_EXIT_MS = 4_800;
const PARENT_CHECK_MS = 1_000;

const log = (line: string) => say('dev', line);

export interface DevOptions {
  /** Join a fleet that works on the database already, without a question. */
  join: boolean;
}

/**
 * Runs servers, migrations, a scheduler, a worker and the API in this process' terminal until Ctrl-C, and ends the process. Returns
 * only where a fleet runs in the folder already, and has said so.
 */
export async function runDev(layout: Layout, env: NodeJS.ProcessEnv, { join }: DevOptions): Promise<void> {
  const stateFile = path.join(layout.root, '.escapement', 'dev.json');
  const claim = await claimFolder(stateFile, async (pid) => (await commandLine(pid)).includes(layout.mark));
  if (!('release' in claim)) {
    log(`${layout.command} runs here already, as process ${claim.pid} since ${claim.startedAt}`);
    log(`end it with Ctrl-C in its terminal, or with: kill ${claim.pid}`);
    return;
  }
  const onGivenUp = (error: EscapementError) => end(describe(error), 1);
  const fleet = createFleet({ claim, layout, env, log, joining: { join, confirm: terminalConfirm() }, onGivenUp });
  const end: End = endOnce(async () => {
    await fleet.stop();
    claim.release();
  });
  listen(end);
  try {
    const started = await fleet.start();
    await allReady(started.health, { areUp: started.areUp, log: log });
    await announce(layout, started);
  } catch (error) {
    end(describe(error), 1);
  }
  await new Promise<never>(() => undefined);
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

async function announce({ hints, tasks, command, signIn }: Layout, { apiUrl, databaseUrl }: Started): Promise<void> {
  const link = await signInLink(databaseUrl, apiUrl);
  log(`ready in ${process.uptime().toFixed(1)} s; Ctrl-C stops everything`);
  log(`the dashboard: ${dashboardUrl(apiUrl)}`);
  log(
    `sign in to it by ${link} (once, within 15 minutes; another one: ${signIn ?? `end this and run ${command} again`})`,
  );
  log(`tasks come from ${tasks.map((folder) => `${folder}/*.ts`).join(' and ')}: edit one, and the worker reloads`);
  for (const hint of hints) log(hint);
  log(`the API: curl -H "Authorization: Bearer $(cat .escapement/api-token)" ${apiUrl}/v1/tasks`);
  log(`all its routes, as OpenAPI: ${apiUrl}/openapi.json`);
  log('in another terminal: npx escapement tasks list, runs list, import crontab FILE --write');
}

function describe(error: unknown): string {
  if (error instanceof EscapementError) return `${error.message}${error.fix ? ` (${error.fix})` : ''}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

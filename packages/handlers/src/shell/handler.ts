import {
  EscapementError,
  type Handler,
  type HandlerContext,
  type HandlerOutcome,
  SECOND,
  type ShellHandler,
} from '@escapement/core';
import { abortWords, notBegun } from '../abort.ts';
import { type Accounts, isDirectory, startAs } from '../account.ts';
import { baseEnvironment } from '../environment.ts';
import { HandlerMessages } from '../output/messages.ts';
import { DEFAULT_OUTPUT_BYTES, RunOutput } from '../output/run-output.ts';
import { failure, refusal, refusalOf } from '../refusal.ts';
import { resolveSecrets, type SecretLookup, secretsForRun } from '../secrets.ts';
import { outcomeOfEnding } from './ending.ts';
import { runEnvironment } from './environment.ts';
import { notStarted } from './not-started.ts';
import { OrphanGuard } from './orphan-guard.ts';
import { PipeSupply } from './pipe-supply.ts';
import { type ProcessSpec, runProcess } from './process.ts';

const DEFAULT_SHELL = '/bin/sh';
const LAST_LINES_CHARS = 2000;

export interface ShellOptions {
  /** Whether this worker runs shell tasks at all. Whoever may save one may do what the user of tasks may do. */
  allow: boolean;
  secrets: SecretLookup;
  /** Variables that every task gets; nothing of the worker's environment comes to it another way. */
  env: Readonly<Record<string, string | undefined>>;
  accounts: Accounts;
  /** From SIGTERM to SIGKILL on abort, in milliseconds. Default 4.5 s: all is over within the published bound of 5 s. */
  killAfterMs?: number;
  /** How long output is still read after the process has ended while one in its background holds it. Default 1 s. */
  drainMs?: number;
}

/** Runs a shell line as cron does, or a program without a shell. */
export function createShellHandler(options: ShellOptions): Handler<ShellHandler> {
  const system: System = { pipes: new PipeSupply(), guard: new OrphanGuard() };
  return async (context) => {
    if (!options.allow) return refusal(notAllowed());
    try {
      const prepared = await prepare(context, options);
      if (context.signal.aborted) return notBegun(context.signal);
      return await execute(context, prepared, { options, system });
    } catch (error) {
      return refusalOf(error);
    }
  };
}

/** What all shell runs of a worker share. */
interface System {
  pipes: PipeSupply;
  guard: OrphanGuard;
}

interface Prepared {
  process: Omit<ProcessSpec, 'channel'>;
  secrets: string[];
  /** What the user should know of before the output begins. */
  notes: string[];
}

async function prepare(context: HandlerContext<ShellHandler>, options: ShellOptions): Promise<Prepared> {
  const { spec, run, payload } = context;
  const { account, ids, prefix } = await startAs(spec.user, options.accounts);
  const { values, secrets } = resolveSecrets(spec.env ?? {}, secretsForRun(options.secrets, context));
  const shell = spec.shell ?? DEFAULT_SHELL;
  const base = baseEnvironment({ account, shell, env: options.env, taskEnv: values });
  const { cwd, notes } = await workingDirectory(spec.cwd, base.HOME ?? '/');
  const [program = shell, ...args] = spec.argv ?? [shell, '-c', spec.command ?? ''];
  const env = { ...base, ...runEnvironment(run, payload) };
  return { process: { program, args, prefix, cwd, env, ...(ids ? { ids } : {}), stdin: spec.stdin }, secrets, notes };
}

/** Where none is asked for and the home is missing, it runs in `/`, as cron does. */
async function workingDirectory(asked: string | undefined, home: string): Promise<{ cwd: string; notes: string[] }> {
  const cwd = asked ?? home;
  if (await isDirectory(cwd)) return { cwd, notes: [] };
  if (asked === undefined) return { cwd: '/', notes: [`the home directory ${home} does not exist; running in /`] };
  throw new EscapementError('no_such_directory', `the working directory ${asked} does not exist on this worker`, {
    fix: 'create it, or send the task to a pool whose workers have it',
  });
}

async function execute(
  context: HandlerContext<ShellHandler>,
  prepared: Prepared,
  { options, system }: { options: ShellOptions; system: System },
): Promise<HandlerOutcome> {
  const { spec, log, signal, state, heartbeat } = context;
  const maxBytes = spec.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
  const output = new RunOutput({ log, maxBytes, secrets: prepared.secrets });
  for (const note of prepared.notes) output.note(note);
  const limits = { killAfterMs: options.killAfterMs ?? 4.5 * SECOND, drainMs: options.drainMs ?? 1 * SECOND };
  try {
    const pipe = await system.pipes.take();
    const watch = { output, onOutput: heartbeat, signal, limits, guard: system.guard };
    const messages = (spec.messages ?? state !== undefined) ? new HandlerMessages(context, output) : undefined;
    const channel = messages && {
      onMessage: (bytes: Buffer) => messages.write(bytes),
      given: JSON.stringify(state?.value ?? null),
    };
    const ending = await runProcess({ ...prepared.process, channel }, pipe, watch);
    const outcome = outcomeOfEnding(ending, {
      stopReason: abortWords(signal),
      path: prepared.process.env.PATH ?? '',
      lastLines: output.lastLines(LAST_LINES_CHARS),
    });
    return messages?.outcomeOf(outcome) ?? outcome;
  } catch (error) {
    return failure(error instanceof EscapementError ? error : notStarted(error, prepared.process));
  }
}

function notAllowed(): EscapementError {
  return new EscapementError('shell_not_allowed', 'this worker does not run shell tasks', {
    fix: "allow them in the worker's configuration, or send the task to a pool whose workers do",
  });
}

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { inspect } from 'node:util';
import type { TestServers } from '@escapement/testkit';
import { createVitest, type TestModule, type Vitest } from 'vitest/node';

/** What some files of tests said. */
export interface Said {
  /** Files with a test that failed. */
  failed: string[];
  /** The titles of the first failures with their messages. */
  failures: string[];
  /** Milliseconds by file. */
  times: Map<string, number>;
  /** Whether they took longer than they may, and were ended. */
  ended: boolean;
}

/** One Vitest that stays, with its servers and the modules it has read, for all mutants. */
export interface Session {
  /** Whether it can run a file: long ones it cannot. */
  has(file: string): boolean;
  /**
   * Runs these files. With a limit it ends at the first failure, and what takes longer has failed: a fault may make a loop
   * endless. Milliseconds; without one all run to their end.
   */
  run(files: readonly string[], limitMs?: number): Promise<Said>;
  /** Lets go what was read of a file, which has changed. */
  forget(file: string): void;
  /** The servers of the tests; they start when they are first asked for, or when a test with servers first runs. */
  servers(): Promise<TestServers>;
  close(): Promise<void>;
}

/** A short file of tests with servers. */
const WITH_SERVERS = 'packages/store/test/mark-queued.test.ts';

export async function startSession(root: string): Promise<Session> {
  // Vitest's own result has what files said in earlier runs too.
  let reported = new Set<TestModule>();
  let endsAtFailure = false;
  const vitest: Vitest = await createVitest('test', {
    root,
    config: path.join(root, 'vitest.config.ts'),
    project: ['unit', 'int'],
    watch: false,
    // A process and its modules are good for all files of a run.
    isolate: false,
    reporters: [
      {
        onTestCaseResult: (test) => {
          if (test.result().state === 'failed') noteFailure(test.module);
        },
        onTestModuleEnd: (module) => {
          reported.add(module);
          if (module.state() === 'failed') noteFailure(module);
        },
      },
    ],
    printConsoleTrace: false,
    silent: true,
  });
  // Not by Vitest's `bail`: that may end the process of a test that failed before the failure is told.
  function noteFailure(module: TestModule): void {
    reported.add(module);
    if (endsAtFailure) void vitest.cancelCurrentRun('test-failure');
    endsAtFailure = false;
  }
  const all = await vitest.globTestSpecifications();
  const files = new Set(all.map(({ moduleId }) => path.relative(root, moduleId)));
  const session: Session = {
    has: (file) => files.has(file),
    async run(files, limitMs) {
      const found = files.flatMap((file) => vitest.getModuleSpecifications(path.join(root, file)));
      let ended = false;
      const end = () => {
        ended = true;
        // The first asks, which a loop does not hear; the second ends the processes.
        for (let asked = 0; asked < 2; asked += 1) void vitest.cancelCurrentRun('test-failure');
      };
      const timer = limitMs === undefined ? undefined : setTimeout(end, limitMs);
      reported = new Set();
      endsAtFailure = limitMs !== undefined;
      const { unhandledErrors } = await vitest.runTestSpecifications(found);
      clearTimeout(timer);
      const result = said(root, reported, ended);
      // Of a process that ended no test tells.
      const [error] = unhandledErrors;
      if (error !== undefined) result.failures.push(error instanceof Error ? error.message : inspect(error));
      const silent = files.filter((file) => !result.times.has(file));
      if (result.failures.length === 0 && !ended && silent.length > 0)
        throw new Error(`Vitest said nothing of ${silent.join(', ')}`);
      return result;
    },
    forget: (file) => vitest.invalidateFile(path.join(root, file)),
    async servers() {
      if (!serversOf(vitest)) await session.run([WITH_SERVERS]);
      const servers = serversOf(vitest);
      if (!servers) throw new Error(`${WITH_SERVERS} ran without servers`);
      return servers;
    },
    close: () => vitest.close(),
  };
  return session;
}

function said(root: string, modules: ReadonlySet<TestModule>, ended: boolean): Said {
  const result: Said = { failed: [], failures: [], times: new Map(), ended };
  for (const module of modules) {
    const file = path.relative(root, module.moduleId);
    result.times.set(file, module.diagnostic().duration);
    const failed = [...module.children.allTests('failed')];
    if (module.state() !== 'failed' && failed.length === 0) continue;
    result.failed.push(file);
    const errors = [...module.errors(), ...failed.flatMap((test) => test.result().errors ?? [])];
    result.failures.push(`${file}: ${failed[0]?.fullName ?? ''}: ${errors[0]?.message ?? ''}`);
  }
  return result;
}

function serversOf(vitest: Vitest): TestServers | undefined {
  return vitest.getProjectByName('int').getProvidedContext().escapementServers;
}

/** A test in an endless loop never sees its time limit, nor that nobody waits for it: its process is ended, which fails its file. */
export function endWorkers(): void {
  const children = execFileSync('ps', ['--ppid', String(process.pid), '-o', 'pid=,args='], { encoding: 'utf8' });
  for (const line of children.split('\n')) {
    if (line.includes('vitest/dist/workers')) process.kill(Number.parseInt(line, 10), 'SIGKILL');
  }
}

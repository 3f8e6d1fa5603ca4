import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Kills the process groups it was told of once its channel closes: what a test started does not
 * outlive a test runner that is killed. Plain JavaScript, so that it starts without a loader.
 */
const REAPER = `
const groups = new Set();
process.on('message', ({ add, remove }) => { groups.add(add); groups.delete(remove); });
process.on('disconnect', () => {
  for (const group of groups) { try { process.kill(-group, 'SIGKILL'); } catch {} }
  process.exit();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
`;

let reaper: ChildProcess | undefined;

function inform(message: { add: number } | { remove: number }): void {
  if (!reaper) {
    reaper = spawn(process.execPath, ['-e', REAPER], {
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    reaper.unref();
    reaper.channel?.unref();
  }
  reaper.send(message);
}

/** Sees to it that the process group of a detached child ends with this process. */
export function reapWithUs(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  inform({ add: pid });
  child.once('exit', () => inform({ remove: pid }));
}

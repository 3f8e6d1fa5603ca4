// `npm create escapement [FOLDER] [-- OPTIONS]`: makes the folder, and has `escapement init` make it a project, with its options.
import { spawn } from 'node:child_process';
import { mkdirSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const BAD_USAGE = 2;

const [first, ...more] = process.argv.slice(2);
const named = first !== undefined && !first.startsWith('-');
const folder = named ? first : '.';
const options = named || first === undefined ? more : [first, ...more];

const folderIsNew = make(folder);
if (folderIsNew === undefined) process.exitCode = BAD_USAGE;
else init(path.resolve(folder), options);

/** Whether it was not there; undefined: it cannot be made, which is told. */
function make(folder: string): boolean | undefined {
  try {
    return mkdirSync(folder, { recursive: true }) !== undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`the folder ${folder} cannot be made: ${why}\n  name another one, or make it yourself\n`);
    return undefined;
  }
}

/** In a process of its own, which reads the terminal and the options as `npx escapement init` does. */
function init(cwd: string, options: readonly string[]): void {
  const program = path.join(
    path.dirname(fileURLToPath(import.meta.resolve('escapement/package.json'))),
    'bin/escapement.js',
  );
  const child = spawn(process.execPath, [program, 'init', ...options], { cwd, stdio: 'inherit' });
  // The terminal sends Ctrl-C to both; what the child does then decides.
  process.on('SIGINT', () => undefined);
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
    if (code !== 0) takeBack();
    else if (named) process.stdout.write(`first: cd ${folder}\n`);
  });
}

/** Where nothing was written nothing remains. */
function takeBack(): void {
  if (!folderIsNew) return;
  try {
    rmdirSync(folder);
  } catch {
    // Something was written: it stays.
  }
}

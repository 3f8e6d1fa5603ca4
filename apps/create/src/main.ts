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

try {
  const place = path.resolve(folder);
  init(place, mkdirSync(place, { recursive: true }));
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  process.stderr.write(`the folder ${folder} cannot be made: ${why}\n  name another one, or make it yourself\n`);
  process.exitCode = BAD_USAGE;
}

/** In a process of its own, which reads the terminal and the options as `npx escapement init` does. `made`: the first folder that was not there. */
function init(cwd: string, made: string | undefined): void {
  const program = path.join(
    path.dirname(fileURLToPath(import.meta.resolve('escapement/package.json'))),
    'bin/escapement.js',
  );
  const child = spawn(process.execPath, [program, 'init', ...options], { cwd, stdio: 'inherit' });
  // The terminal sends Ctrl-C to both; what the child does then decides.
  process.on('SIGINT', () => undefined);
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
    if (code !== 0) takeBack(cwd, made);
    else if (named) process.stdout.write(`first: cd ${folder}\n`);
  });
}

/** Where nothing was written nothing remains. */
function takeBack(folder: string, made: string | undefined): void {
  if (made === undefined) return;
  try {
    for (let each = folder; each.length >= made.length; each = path.dirname(each)) rmdirSync(each);
  } catch {
    // Something was written: it stays.
  }
}

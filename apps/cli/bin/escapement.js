#!/usr/bin/env node
// In a clone the sources run, without a build; in an installed package what was built from them.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const source = new URL('../src/main.ts', import.meta.url);
const tsx = findTsx();

if (existsSync(source) && tsx) runSource(fileURLToPath(source), tsx);
else await import('../dist/main.js');

/** Undefined where only what runs in production is installed. */
function findTsx() {
  try {
    return pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} main
 * @param {string} loader
 */
function runSource(main, loader) {
  const words = ['--conditions=@escapement/source', '--import', loader, main, ...process.argv.slice(2)];
  const child = spawn(process.execPath, words, { stdio: 'inherit' });
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) return process.exit(code ?? 1);
    for (const each of signals) process.removeAllListeners(each);
    process.kill(process.pid, signal);
  });
}

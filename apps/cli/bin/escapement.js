#!/usr/bin/env node
// In a clone the sources run, without a build; in an installed package what was built from them.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const source = new URL('../src/main.ts', import.meta.url);

if (existsSync(source)) runSource(fileURLToPath(source));
else await import('../dist/main.js');

/** @param {string} main */
function runSource(main) {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const words = ['--conditions=@escapement/source', '--import', tsx, main, ...process.argv.slice(2)];
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

#!/usr/bin/env node
// Any Node reads this file: one that is too old says so, and loads nothing that it cannot read.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) {
  // Stacks name lines of the sources.
  process.setSourceMapsEnabled(true);
  import('../dist/main.js');
} else {
  process.stderr.write(
    `error: Escapement needs Node 20.19 or newer, and this is ${process.version} (${process.execPath})\n`,
  );
  process.stderr.write('  install a newer one: https://nodejs.org, or nvm install 24\n');
  process.exitCode = 2;
}

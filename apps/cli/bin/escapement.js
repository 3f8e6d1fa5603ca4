#!/usr/bin/env node
// Runs the command line as it was bundled. In a clone the bundle is made anew where a source has changed since.
import { existsSync, readFileSync } from 'node:fs';

const bundle = new URL('../dist/bundle/', import.meta.url);

if (existsSync(new URL('../src/main.ts', import.meta.url))) {
  const { upToDate } = await import('../bundle/up-to-date.js');
  await upToDate().catch(tell);
}
/** @type {{ entry: string }} */
const { entry } = JSON.parse(readFileSync(new URL('bundle.json', bundle), 'utf8'));
await import(new URL(entry, bundle).href);

/** @param {Error} error */
function tell({ message }) {
  process.stderr.write(
    `escapement cannot be built from its sources: ${message}\n  mend them, or run \`npm run setup\`\n`,
  );
  process.exit(70);
}

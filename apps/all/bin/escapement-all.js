#!/usr/bin/env node
// Stacks name lines of the sources.
process.setSourceMapsEnabled(true);
await import('../dist/main.js');

// Loaded by `node --import` before tsx in the processes of a test: sees sources as they are written, and rewrites those
// that it is told of. Plain JavaScript, since nothing can compile it yet.
import { register } from 'node:module';
import { startRuntime } from './runtime.mjs';

/** @typedef {import('./patch.ts').LoaderData} LoaderData */

/** @type {LoaderData} */
const data = JSON.parse(process.env.TESTKIT_LOADER ?? '{"controlFile":"","failpoints":[],"patches":[]}');

startRuntime(data.controlFile);
register(new URL('./hooks.mjs', import.meta.url), { data });

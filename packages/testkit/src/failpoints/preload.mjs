// Loaded by `node --import` first of all in the processes of a test, and rewrites the modules that it is told of. Plain
// JavaScript: where the process runs sources, nothing can compile it yet.
import { register } from 'node:module';
import { startRuntime } from './runtime.mjs';

/** @typedef {import('./patch.ts').LoaderData} LoaderData */

/** @type {LoaderData} */
const data = JSON.parse(process.env.TESTKIT_LOADER ?? '{"controlFile":"","failpoints":[],"patches":[]}');

startRuntime(data.controlFile);
register(new URL('./hooks.mjs', import.meta.url), { data });

// Runs in Node's loader thread.
import { rewrite } from './rewrite.mjs';

/** @type {import('./patch.ts').LoaderData} */
let data = { controlFile: '', failpoints: [], patches: [] };

/** @param {import('./patch.ts').LoaderData} given */
export function initialize(given) {
  data = given;
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  const path = sourceOf(url.split('?')[0] ?? url);
  const isPatched = [...data.failpoints, ...data.patches].some(({ module }) => path.endsWith(`/${module}`));
  if (!isPatched || loaded.source === undefined || loaded.source === null) return loaded;
  return { ...loaded, source: rewrite(path, textOf(loaded.source), data) };
}

/**
 * The source of a built module: of a package, or of a test's program.
 *
 * @param {string} path
 */
function sourceOf(path) {
  return path.replace(/\/dist\/tests\/(.*)\.js$/, '/$1.ts').replace(/\/dist\/(.*)\.js$/, '/src/$1.ts');
}

/** @param {string | ArrayBuffer | NodeJS.TypedArray} source */
function textOf(source) {
  if (typeof source === 'string') return source;
  return Buffer.from(source instanceof ArrayBuffer ? source : source.buffer).toString('utf8');
}

import { readFile } from 'node:fs/promises';
import type { LoadHook, ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/wasm-typescript';
import { z } from 'zod';

// Hooks of Node's module loader that let a process run TypeScript, also where Node itself cannot, or only what it can erase.

/** What the compiler throws is no Error. */
const complaint = z.object({ message: z.string(), startLine: z.number().optional() });

const TYPESCRIPT = /\.m?ts$/;

/**
 * What Node says of TypeScript that it cannot run. From 22.18 on it erases types: already here, where the package does not say which kind of
 * module a file is, and Node looks for that in what is left. Enums and the like it refuses, also when they are ours to compile.
 */
const NOT_FOR_NODE = new Set([
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_INVALID_TYPESCRIPT_SYNTAX',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
]);

/** Node itself leaves TypeScript to what comes after it, or says that it cannot. Who came before us may have made JavaScript of it. */
export const load: LoadHook = async (url, context, nextLoad) => {
  if (!url.startsWith('file:') || !TYPESCRIPT.test(pathOf(url))) return await nextLoad(url, context);
  try {
    const loaded = await nextLoad(url, context);
    if (!String(loaded.format).endsWith('-typescript')) return loaded;
  } catch (error) {
    if (!NOT_FOR_NODE.has(codeOf(error) ?? '')) throw error;
  }
  const filename = fileURLToPath(url);
  return { format: 'module', shortCircuit: true, source: toJavaScript(await readFile(filename, 'utf8'), filename) };
};

/** Authors write `./lib.js` or `./lib` for what is `./lib.ts`, as the compiler and bundlers let them. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  try {
    return await nextResolve(specifier, context);
  } catch (error) {
    const { parentURL } = context;
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND' || !specifier.startsWith('.')) throw error;
    if (parentURL === undefined || !TYPESCRIPT.test(pathOf(parentURL))) throw error;
    const meant = /\.m?js$/.test(specifier) ? specifier.replace(/js$/, 'ts') : `${specifier}.ts`;
    try {
      return await nextResolve(meant, context);
    } catch {
      throw error;
    }
  }
};

function toJavaScript(text: string, filename: string): string {
  const { code, map } = compile(text, filename);
  return map === undefined
    ? code
    : `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`;
}

function compile(text: string, filename: string): { code: string; map?: string } {
  try {
    return transformSync(text, { mode: 'transform', sourceMap: true, filename });
  } catch (error) {
    const { message, startLine } = complaint.catch({ message: String(error) }).parse(error);
    throw new SyntaxError(`${filename}${startLine === undefined ? '' : `:${startLine}`}: ${message}`);
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

function pathOf(url: string): string {
  return url.replace(/[?#].*$/, '');
}

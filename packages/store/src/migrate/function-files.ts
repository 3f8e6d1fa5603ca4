import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EscapementError } from '@escapement/core';
import { checksumOf } from './migration-files.ts';
import { statementStarts } from './sql-statements.ts';

/** A file of `prisma/functions`. */
export interface FunctionFile {
  name: string;
  file: string;
  sql: string;
  hash: string;
  /** A migration may make a trigger of it. */
  isTrigger: boolean;
}

export interface FunctionFiles {
  functions: readonly FunctionFile[];
  /** Names of what was there once. */
  dropped: readonly string[];
}

const NO_FUNCTIONS: FunctionFiles = { functions: [], dropped: [] };
const DROPPED = 'dropped.txt';
const HEAD = /^(?:\s|--.*\n)*CREATE OR REPLACE FUNCTION "?(\w+)"?\s*\(/i;

/** Reads the functions in the order of their names; none where there is no folder. Throws `function_misnamed`. */
export async function readFunctions(dir: string | undefined): Promise<FunctionFiles> {
  if (dir === undefined || !existsSync(dir)) return NO_FUNCTIONS;
  const names = (await readdir(dir)).sort();
  const files = names.filter((name) => name.endsWith('.sql'));
  const functions: FunctionFile[] = [];
  // One after the other: a process may have few files open.
  for (const name of files) functions.push(await readFunction(join(dir, name), name.slice(0, -'.sql'.length)));
  return {
    functions,
    dropped: names.includes(DROPPED) ? linesOf(await readFile(join(dir, DROPPED), 'utf8')) : [],
  };
}

async function readFunction(file: string, name: string): Promise<FunctionFile> {
  // git changes line endings on checkout: that is no change of a function.
  const sql = (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');
  if (HEAD.exec(sql)?.[1] !== name || statementStarts(sql).length !== 1)
    throw new EscapementError(
      'function_misnamed',
      `${file} does not hold CREATE OR REPLACE FUNCTION "${name}"( and nothing else`,
      {
        fix: 'one file, one function, named alike',
      },
    );
  return { name, file, sql, hash: checksumOf(sql), isTrigger: /\bRETURNS\s+trigger\b/i.test(sql) };
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line !== '');
}

import { accessSync, constants } from 'node:fs';
import { nearest } from '@escapement/core';
import { type Environment, givenValue } from './environment.ts';
import type { ConfigProblem } from './variable.ts';

const NAME = 'DATABASE_URL';

/** What pg understands; any other word it ignores, and connects without checking the server. */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const FILES = ['sslrootcert', 'sslcert', 'sslkey'];

/** What is wrong with the parameters for TLS in the URL of the database, and with the time limits together. */
export function databaseProblems(env: Environment): ConfigProblem[] {
  const given = givenValue(env, NAME);
  if (given === undefined || !URL.canParse(given)) return [];
  const { searchParams } = new URL(given);
  return [...modeProblems(searchParams), ...FILES.flatMap((name) => fileProblems(name, searchParams.get(name)))];
}

function modeProblems(parameters: URLSearchParams): ConfigProblem[] {
  const mode = parameters.get('sslmode');
  if (mode === null || SSL_MODES.includes(mode)) return [];
  const near = nearest(mode, new Set(SSL_MODES));
  return [
    {
      variable: NAME,
      message: `${NAME} has sslmode=${mode}`,
      fix: near ? `did you mean ${near}?` : `must be one of ${SSL_MODES.join(', ')}`,
    },
  ];
}

function fileProblems(name: string, file: string | null): ConfigProblem[] {
  if (file === null) return [];
  try {
    accessSync(file, constants.R_OK);
    return [];
  } catch {
    return [
      {
        variable: NAME,
        message: `${NAME} has ${name}=${file}`,
        fix: 'must be a file in PEM form, readable by this process',
      },
    ];
  }
}

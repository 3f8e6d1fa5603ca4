import { accessSync, constants } from 'node:fs';
import { nearest } from '@escapement/core';
import { type Environment, givenValue } from './environment.ts';
import type { ConfigProblem } from './variable.ts';

const NAMES = ['DATABASE_URL', 'DATABASE_STANDBY_URL'];

/** What pg understands; any other word it ignores, and connects without checking the server. */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const FILES = ['sslrootcert', 'sslcert', 'sslkey'];

/** What is wrong with the parameters for TLS in the URLs of the database and its standby. */
export function databaseProblems(env: Environment): ConfigProblem[] {
  return NAMES.flatMap((variable) => {
    const given = givenValue(env, variable);
    if (given === undefined || !URL.canParse(given)) return [];
    const { searchParams } = new URL(given);
    const files = FILES.flatMap((name) => fileProblems(variable, name, searchParams.get(name)));
    return [...modeProblems(variable, searchParams), ...files];
  });
}

function modeProblems(variable: string, parameters: URLSearchParams): ConfigProblem[] {
  const mode = parameters.get('sslmode');
  if (mode === null || SSL_MODES.includes(mode)) return [];
  const near = nearest(mode, new Set(SSL_MODES));
  return [
    {
      variable,
      message: `${variable} has sslmode=${mode}`,
      fix: near ? `did you mean ${near}?` : `must be one of ${SSL_MODES.join(', ')}`,
    },
  ];
}

function fileProblems(variable: string, name: string, file: string | null): ConfigProblem[] {
  if (file === null) return [];
  try {
    accessSync(file, constants.R_OK);
    return [];
  } catch {
    return [
      {
        variable,
        message: `${variable} has ${name}=${file}`,
        fix: 'must be a file in PEM form, readable by this process',
      },
    ];
  }
}

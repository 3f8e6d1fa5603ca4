import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { maskUrl } from '@escapement/core/mask';
import { type Environment, givenValue } from './environment.ts';
import type { ConfigProblem } from './variable.ts';

/** What is wrong with the options of one Redis together; `prefix` begins their names. */
export function redisProblems(env: Environment, prefix: string): ConfigProblem[] {
  const given = givenValue(env, `${prefix}_URL`);
  const url = given !== undefined && URL.canParse(given) ? new URL(given) : undefined;
  return [...sentinelProblems(env, prefix, url), ...tlsProblems(env, prefix, url), ...pairProblems(env, prefix)];
}

function sentinelProblems(env: Environment, prefix: string, url: URL | undefined): ConfigProblem[] {
  if (!url || !givenValue(env, `${prefix}_SENTINELS`)) return [];
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (host !== '' && url.port === '' && isIP(host) === 0) return [];
  return [
    {
      variable: `${prefix}_URL`,
      message: `${prefix}_SENTINELS is set and ${prefix}_URL is "${maskUrl(url.href)}"`,
      fix: 'its host must be the name that the sentinels have for the primary, without a port, as in redis://mymaster',
    },
  ];
}

function tlsProblems(env: Environment, prefix: string, url: URL | undefined): ConfigProblem[] {
  if (url?.protocol === 'rediss:') return [];
  const names = ['CA', 'CERT', 'KEY', 'SERVERNAME'].map((part) => `${prefix}_TLS_${part}`);
  return names
    .filter((name) => givenValue(env, name))
    .map((name) => ({
      variable: name,
      message: `${name} is set and ${prefix}_URL is not for TLS`,
      fix: `let ${prefix}_URL begin with rediss://, or remove ${name}`,
    }));
}

/** A key of another certificate would only show when the first connection is made. */
function pairProblems(env: Environment, prefix: string): ConfigProblem[] {
  const [cert, key] = [givenValue(env, `${prefix}_TLS_CERT`), givenValue(env, `${prefix}_TLS_KEY`)];
  if (!cert || !key) return [];
  let pair: { cert: Buffer; key: Buffer };
  try {
    pair = { cert: readFileSync(cert), key: readFileSync(key) };
  } catch {
    // Reported with the variable.
    return [];
  }
  try {
    createSecureContext(pair);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [
      {
        variable: `${prefix}_TLS_KEY`,
        message: `${prefix}_TLS_CERT and ${prefix}_TLS_KEY cannot be used together (${why})`,
        fix: 'give a certificate and its own key, without a passphrase',
      },
    ];
  }
}

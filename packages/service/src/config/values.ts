import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { EscapementError, poolName } from '@escapement/core';
import { EGRESS_ALLOWED, isLoopback, parseEgress } from '@escapement/core/egress';
import { GROUP_ROLES_ALLOWED, parseGroupRoles } from '@escapement/core/rights';
import { parseSecretRules, SECRET_RULES_ALLOWED } from '@escapement/core/secrets';
import { z } from 'zod';
import { signingKey } from './signing-key.ts';

/**
 * The kinds of values that variables hold. Each is a zod schema from text; its description says what
 * is allowed, both in the error and in docs/reference/configuration.md.
 */
function value<T>(allowed: string, read: (text: string) => T | undefined) {
  return z
    .string()
    .transform((text, context): T => {
      const result = read(text.trim());
      if (result !== undefined) return result;
      context.addIssue({ code: 'custom', message: allowed });
      return z.NEVER;
    })
    .describe(allowed);
}

export const text = (allowed: string, pattern: RegExp) =>
  value(allowed, (given) => (pattern.test(given) ? given : undefined));

const TRUE = new Set(['true', '1', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off']);

export const flag = () =>
  value('true or false', (given) => {
    const word = given.toLowerCase();
    return TRUE.has(word) ? true : FALSE.has(word) ? false : undefined;
  });

export const wholeNumber = (min: number, max: number) =>
  value(`a whole number from ${min.toLocaleString('en-US')} to ${max.toLocaleString('en-US')}`, (given) => {
    const number = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  });

export const oneOf = <const T extends string>(...words: T[]) =>
  value(words.join(', '), (given) => words.find((word) => word === given.toLowerCase()));

export const url = (...schemes: string[]) =>
  value(`a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`, (given) =>
    isUrl(given, schemes) ? given : undefined,
  );

export const urls = (...schemes: string[]) =>
  value(`URLs, separated by commas, that begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`, (given) =>
    listOf(given, (item) => isUrl(item, schemes)),
  );

export const poolNames = () =>
  value('names separated by commas: lower-case letters, digits, _ and -', (given) =>
    listOf(given, (item) => poolName.safeParse(item).success),
  );

/** A bare address, or a name with the address in angle brackets. */
export const mailAddress = () =>
  value('a mail address, as in jobs@example.com or Jobs <jobs@example.com>', (given) =>
    isAddress(/^[^<>\r\n]*<([^<>]+)>$/.exec(given)?.[1] ?? given) ? given : undefined,
  );

/** Secrets of Standard Webhooks. */
export const webhookSecrets = () =>
  value(
    'secrets separated by commas: whsec_ and base64 of 24 to 64 bytes, as from `openssl rand -base64 32`',
    (given) => listOf(given, (item) => signingKey(item) !== undefined),
  );

export const mailAddresses = () => value('mail addresses separated by commas', (given) => listOf(given, isAddress));

export const paths = () =>
  value('folders or module files separated by commas', (given) =>
    listOf(given, (item) => !item.includes('\0'))?.map((item) => resolve(item)),
  );

export const secretRules = () => parsed(SECRET_RULES_ALLOWED, parseSecretRules);

/** Names of variables that tasks may see; those of Escapement's own would tell them its credentials. */
export const openNames = () =>
  value(
    'names of variables separated by commas; a name may end in *; none of DATABASE_URL, REDIS_*, ESCAPEMENT_*',
    (given) =>
      listOf(
        given,
        (item) => /^[A-Za-z_][A-Za-z0-9_]*\*?$/.test(item) && !/^(DATABASE_URL$|REDIS_|ESCAPEMENT_)/.test(item),
      ),
  );

export const groupRoles = () => parsed(GROUP_ROLES_ALLOWED, parseGroupRoles);

/** The URL of a provider: nobody on the way can read or change what goes there. */
export const issuerUrl = () =>
  value('a URL with https://, or http:// of this machine, without query or fragment', (given) =>
    isSafeUrl(given) ? given : undefined,
  );

/** Where browsers find a server: no more than scheme, host and port. */
export const originUrl = () =>
  value('a URL with https://, or http:// of this machine, without a path', (given) =>
    isSafeUrl(given) && new URL(given).pathname === '/' ? new URL(given).origin : undefined,
  );

/** Where programs find the API: it may be below a path, and over plain HTTP inside a network. */
export const apiUrl = () =>
  value('a URL with https:// or http://, without a user, "?" or "#"', (given) => {
    if (!URL.canParse(given)) return undefined;
    const { protocol, username, password } = new URL(given);
    return /^https?:$/.test(protocol) && username + password === '' && !/[?#]/.test(given) ? given : undefined;
  });

function isSafeUrl(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, hostname, username, password } = new URL(given);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) return false;
  return username === '' && password === '' && !/[?#]/.test(given);
}

export const egress = () => parsed(EGRESS_ALLOWED, parseEgress);

/** What a reader of core takes, or throws an `EscapementError`. */
function parsed<T>(allowed: string, parse: (text: string) => T) {
  return value(allowed, (given) => {
    try {
      return parse(given);
    } catch (error) {
      if (error instanceof EscapementError) return undefined;
      throw error;
    }
  });
}

export const portOrOff = () =>
  value('off, 0 (any free port) or a port up to 65535', (given): number | 'off' | undefined => {
    if (given.toLowerCase() === 'off') return 'off';
    return /^\d{1,5}$/.test(given) && Number(given) <= 65_535 ? Number(given) : undefined;
  });

/** `off`, `otlp`, or the path of a module, from the working directory. */
export const tracesTo = () =>
  value('off, otlp, or the path of a module that gives an exporter', (given) => {
    if (given === 'off' || given === 'otlp') return given;
    return /[./]/.test(given) ? resolve(given) : undefined;
  });

export const port = () =>
  value('0 (any free port) or a port up to 65535', (given) =>
    /^\d{1,5}$/.test(given) && Number(given) <= 65_535 ? Number(given) : undefined,
  );

/** Hosts as a URL has them: a name or address, with a port where it is not the usual one. */
export const urlHosts = () =>
  value('names or addresses separated by commas, each with a port where URLs have one', (given) =>
    listOf(given.toLowerCase(), (item) => URL.canParse(`http://${item}`) && new URL(`http://${item}`).host === item),
  );

/** Addresses, or networks by their first bits. */
export const networks = () =>
  value('IP addresses or networks separated by commas, as in 10.0.0.0/8', (given) => listOf(given, isNetwork));

/** Addresses as `host:port`, the port added where it is missing. */
export const addresses = (defaultPort: number) =>
  value(`host:port, several separated by commas (port ${defaultPort} where none is given)`, (given) => {
    const hosts = listOf(given, (item) => URL.canParse(`tcp://${item}`) && /^[^\s/@?#]+$/.test(item));
    return hosts?.map((host) => (new URL(`tcp://${host}`).port === '' ? `${host}:${defaultPort}` : host));
  });

/** A file in PEM form; kept as its path. */
export const pemFile = (holds: 'CERTIFICATE' | 'PRIVATE KEY') =>
  value(`a file in PEM form with a ${holds.toLowerCase()}, readable by this process`, (given) => {
    const file = resolve(given);
    return holdsPem(file, holds) ? file : undefined;
  });

function holdsPem(file: string, holds: string): boolean {
  try {
    return new RegExp(`-----BEGIN [A-Z ]*${holds}-----`).test(readFileSync(file, 'utf8'));
  } catch {
    return false;
  }
}

function listOf(given: string, isRight: (item: string) => boolean): string[] | undefined {
  const items = given.split(',').map((item) => item.trim());
  return items.every((item) => item !== '' && isRight(item)) ? [...new Set(items)] : undefined;
}

function isUrl(given: string, schemes: string[]): boolean {
  return URL.canParse(given) && schemes.includes(new URL(given).protocol.slice(0, -1));
}

function isNetwork(given: string): boolean {
  const [address = '', bits, ...rest] = given.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

function isAddress(given: string): boolean {
  return z.email().safeParse(given).success || /^[A-Za-z0-9._+-]+@localhost$/.test(given);
}

import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { EscapementError } from '@escapement/core';
import type { Environment } from '@escapement/service/config';
import { z } from 'zod';

/** Where an API is, and who asks it. */
export interface Login {
  url: string;
  token: string;
}

const kept = z.object({ url: z.string(), token: z.string() });

/** `$XDG_CONFIG_HOME/escapement/login.json`, by default in `~/.config` (XDG Base Directory Specification). */
export function loginFile(env: Environment): string {
  const folder = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(env.HOME ?? homedir(), '.config');
  return join(folder, 'escapement', 'login.json');
}

/** What `escapement login` has kept; undefined: nothing. Throws `bad_login_file`. */
export function readLogin(env: Environment): Login | undefined {
  const file = loginFile(env);
  const text = textOf(file);
  if (text === undefined) return undefined;
  const login = kept.safeParse(jsonOf(text)).data;
  if (login) return login;
  throw new EscapementError('bad_login_file', `${file} cannot be read as what \`escapement login\` keeps`, {
    fix: 'log in again, or delete the file',
  });
}

/** For this user of the system alone: nobody else can read the file, at no moment. */
export function writeLogin(env: Environment, login: Login): string {
  const file = loginFile(env);
  const fresh = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(fresh, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  chmodSync(fresh, 0o600);
  renameSync(fresh, file);
  return file;
}

/** False: nothing was kept. */
export function dropLogin(env: Environment): boolean {
  const file = loginFile(env);
  if (textOf(file) === undefined) return false;
  rmSync(file);
  return true;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new EscapementError('bad_login_file', `${file} cannot be read: ${code || String(error)}`, {
      fix: 'correct its rights, or delete it',
    });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

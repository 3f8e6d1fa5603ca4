import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readSet } from '../options.ts';
import type { HostAsked } from './crontabs-of-host.ts';

export interface HostOptions {
  root: string;
  source?: string;
}

/** Adds the options that name a host. The reader of `--source` throws `bad_set`. */
export function withHostOptions(command: Command): Command {
  return command
    .option('--root <folder>', 'the folder that is / of the host', '/')
    .option(
      '--source <name>',
      "what the host's crontabs are found again by: each is imported as NAME:PATH; default: this host's name",
      readSet('--source'),
    );
}

/** The host that options name. */
export function hostOf({ root, source = hostname() }: HostOptions): HostAsked {
  return { root: resolve(root), source };
}

/** The pool of what a host alone can run: called as the host. */
export function poolOfHost(source: string): string {
  return source.toLowerCase().replaceAll('.', '-').slice(0, 63);
}

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EscapementError } from '@escapement/core';
import { z } from 'zod';

const names = z.record(z.string(), z.string()).default({});

const manifest = z.looseObject({
  type: z.string().optional(),
  packageManager: z.string().optional(),
  workspaces: z.unknown().optional(),
  scripts: names,
  dependencies: names,
  devDependencies: names,
});

export type ProjectManifest = z.output<typeof manifest>;

/** A package.json as it is, and what it says. */
export interface ManifestFile {
  text: string;
  value: ProjectManifest;
}

/** That of a folder; undefined: there is none. Throws `bad_package_json` where it cannot be read. */
export function readManifest(folder: string): ManifestFile | undefined {
  const file = path.join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  try {
    const text = readFileSync(file, 'utf8');
    // Some editors write a mark at the start.
    return { text, value: manifest.parse(JSON.parse(text.replace(/^\uFEFF/, ''))) };
  } catch (cause) {
    throw new EscapementError('bad_package_json', `${file} cannot be read as a package.json: ${whyNot(cause)}`, {
      cause,
      fix: 'mend it, and give the command again: nothing was written',
    });
  }
}

function whyNot(error: unknown): string {
  if (error instanceof z.ZodError)
    return error.issues.map(({ path: at, message }) => `${at.join('.') || 'the whole'}: ${message}`).join('; ');
  return error instanceof Error ? error.message : String(error);
}

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { stage } from './stage.ts';
import { publishedWorkspaces } from './workspaces.ts';

export interface PackOptions {
  /** Where the tarballs are written; made when missing. */
  out: string;
  /** See {@link publishedManifest}. */
  repository?: string | undefined;
}

export interface Packed {
  name: string;
  version: string;
  /** The tarball. */
  file: string;
  bytes: number;
}

const answer = z.array(z.object({ name: z.string(), version: z.string(), filename: z.string(), size: z.number() }));

/** Packs what was built, by npm itself. */
export async function pack({ out, repository }: PackOptions): Promise<Packed[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'escapement-pack-'));
  try {
    const targets: string[] = [];
    for (const workspace of publishedWorkspaces()) {
      const target = path.join(folder, workspace.folder);
      await stage(workspace, target, repository);
      targets.push(target);
    }
    mkdirSync(out, { recursive: true });
    const args = ['pack', ...targets, '--pack-destination', out, '--json', '--ignore-scripts'];
    const { stdout } = await promisify(execFile)('npm', args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
    return answer
      .parse(JSON.parse(stdout))
      .map(({ name, version, filename, size }) => ({ name, version, file: path.join(out, filename), bytes: size }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

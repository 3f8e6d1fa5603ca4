import { EscapementError } from '@escapement/core';
import { findProjectConfig, ownAccount, readProjectConfig, sameAccount } from '@escapement/handlers';
import type { ProjectConfig } from '@escapement/sdk';

export const NO_ARCHIVES =
  "the processes of tasks need packages as files, and Yarn's Plug'n'Play keeps them in archives";
export const NO_ARCHIVES_FIX = 'write `nodeLinker: node-modules` into .yarnrc.yml, and install again';

/**
 * What the project in a folder says of itself, loaded as its developer; nothing where it says nothing. Throws `plug_and_play`, and as
 * `readProjectConfig` does.
 */
export async function ownConfig(folder: string): Promise<ProjectConfig> {
  if (process.versions.pnp !== undefined)
    throw new EscapementError('plug_and_play', NO_ARCHIVES, { fix: NO_ARCHIVES_FIX });
  const file = findProjectConfig(folder);
  if (file === undefined) return {};
  return await readProjectConfig(file, { accounts: sameAccount(ownAccount({})), env: {} });
}

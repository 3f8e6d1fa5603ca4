import { findProjectConfig, ownAccount, readProjectConfig, sameAccount } from '@escapement/handlers';
import type { ProjectConfig } from '@escapement/sdk';

/** What the project in a folder says of itself, loaded as its developer; nothing where it says nothing. Throws as `readProjectConfig` does. */
export async function ownConfig(folder: string): Promise<ProjectConfig> {
  const file = findProjectConfig(folder);
  if (file === undefined) return {};
  return await readProjectConfig(file, { accounts: sameAccount(ownAccount({})), env: {} });
}

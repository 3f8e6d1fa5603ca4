import { readdirSync } from 'node:fs';
import path from 'node:path';
import { migrate } from '@escapement/store';
import { buildSite } from '../../apps/dashboard/build/site.ts';
import { root, run } from '../process.mjs';
import { APPS, type AppName, affectedApps } from './affected.ts';
import type { App } from './app.ts';
import { watchSources } from './watch.ts';

export interface ReloadOptions {
  /** Folders of tasks that the worker loads, from the root. */
  tasks: readonly string[];
  apps: Record<AppName, App>;
  databaseUrl: string;
  log: (line: string) => void;
}

/**
 * Restarts the apps that a change of the sources concerns; after one of the schema, the client is generated and the
 * database migrated first.
 *
 * @returns a function that ends it
 */
export function reloadOnChange({ apps, tasks, databaseUrl, log }: ReloadOptions): () => void {
  async function reload(files: string[]): Promise<void> {
    const affected = affectedApps(files);
    if (affected.length === 0) return;
    log(`${files.join(', ')} changed: restarting ${affected.join(' and ')}`);
    if (files.some((file) => file.startsWith('prisma/'))) {
      await run(process.execPath, ['scripts/setup.mjs']);
      await migrate(databaseUrl, { log });
    }
    if (files.some((file) => file.startsWith('apps/dashboard/'))) await buildSite();
    await Promise.all(affected.map((name) => apps[name].restart()));
  }

  return watchSources(sourceFolders(tasks), (changed) => {
    reload(changed.map((file) => path.relative(root, file))).catch((error) => log(String(error)));
  });
}

function sourceFolders(tasks: readonly string[]): string[] {
  const packages = readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}/src`);
  const apps = APPS.map((name) => `apps/${name}/src`);
  return [...packages, ...apps, 'apps/dashboard/src', ...tasks, 'prisma'].map((name) => path.join(root, name));
}

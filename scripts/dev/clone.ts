import { readdirSync } from 'node:fs';
import path from 'node:path';
import { APPS, type Layout } from '@escapement/dev';
import { migrate } from '@escapement/store';
import { buildSite } from '../../apps/dashboard/build/site.ts';
import { root, run } from '../process.mjs';
import { affectedApps } from './affected.ts';

const FROM_SOURCE = ['--conditions=@escapement/source', '--import', 'tsx'];

/** The fleet of a clone: each app from its source, and again where that changes. */
export function clone({ withExamples }: { withExamples: boolean }): Layout {
  const tasks = withExamples ? ['tasks', 'examples'] : ['tasks'];
  return {
    command: 'npm run dev',
    joinCommand: 'npm run dev -- --join',
    // How npm calls the script; the ids of processes are recycled, so a living one may be something else.
    mark: 'scripts/dev/main.ts',
    root,
    composeFile: path.join(root, 'docker-compose.yml'),
    tasks,
    start: (app) => [...FROM_SOURCE, path.join(root, 'apps', app, 'src', 'main.ts')],
    watched: sourceFolders(tasks),
    async prepare(log) {
      if (await buildSite()) log('the dashboard is built');
    },
    changed,
    signIn: 'npm run sign-in',
    hints: [
      withExamples
        ? 'and those in YAML by: npx escapement apply -f examples/apply --set examples'
        : 'more of them, see examples/README.md: npm run dev -- --examples',
    ],
  };
}

/** After a change of the migrations, the database is migrated first; after one of the dashboard, that is built. */
async function changed(files: readonly string[], databaseUrl: string) {
  const affected = affectedApps(files);
  if (files.some((file) => file.startsWith('prisma/'))) {
    await run(process.execPath, ['scripts/setup.mjs', '--dev']);
    await migrate(databaseUrl, { log: console.log });
  }
  if (affected.length > 0 && files.some((file) => file.startsWith('apps/dashboard/'))) await buildSite();
  return affected;
}

function sourceFolders(tasks: readonly string[]): string[] {
  const packages = readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}/src`);
  const apps = APPS.map((name) => `apps/${name}/src`);
  return [...packages, ...apps, 'apps/dashboard/src', ...tasks, 'prisma'].map((name) => path.join(root, name));
}

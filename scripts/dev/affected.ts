import { APPS, type AppName } from '@escapement/dev';

/** Packages that not every app loads. */
const LOADED_BY: Record<string, readonly AppName[]> = {
  scheduler: ['scheduler'],
  worker: ['worker'],
  handlers: ['worker'],
  api: ['api'],
  queue: ['scheduler', 'worker'],
  sdk: ['worker'],
  client: [],
  servers: [],
  dev: [],
  testkit: [],
  'test-fleet': [],
};

/** The apps that must start again after files changed; paths count from the repository's root. */
export function affectedApps(files: readonly string[]): AppName[] {
  return APPS.filter((app) => files.some((file) => loads(app, file)));
}

function loads(app: AppName, file: string): boolean {
  const [top = '', name = ''] = file.split('/');
  if (top === 'tasks' || top === 'examples') return app === 'worker';
  if (top === 'apps' && name === 'dashboard') return app === 'api';
  if (top === 'apps') return app === name;
  return (LOADED_BY[name] ?? APPS).includes(app);
}

import { expect, test } from 'vitest';
import { withProjectSettings } from './project.ts';

const FILE = '/shop/escapement.config.ts';

test('each field is a variable, and paths count from the folder of the file', () => {
  const settings = {
    tasks: ['tasks', '../more'],
    app: 'shop',
    pools: ['mail', 'web'],
    concurrency: 7,
    taskEnv: ['TZ'],
  };
  expect(withProjectSettings({}, settings, FILE)).toEqual({
    ESCAPEMENT_TASKS: '/shop/tasks,/more',
    ESCAPEMENT_APP: 'shop',
    ESCAPEMENT_POOLS: 'mail,web',
    ESCAPEMENT_CONCURRENCY: '7',
    ESCAPEMENT_TASK_ENV: 'TZ',
  });
});

test('tasks are in `tasks` where it does not say; variables of the environment come first, empty ones do not count', () => {
  const env = { ESCAPEMENT_POOLS: 'own', ESCAPEMENT_APP: ' ', OTHER: 'x' };
  expect(withProjectSettings(env, { pools: ['mail'], app: 'shop' }, FILE)).toEqual({
    ...{ ESCAPEMENT_TASKS: '/shop/tasks', ESCAPEMENT_POOLS: 'own', ESCAPEMENT_APP: 'shop', OTHER: 'x' },
  });
});

test('every value that its variable could not have is named', () => {
  const read = () => withProjectSettings({}, { pools: ['Mail'], concurrency: 0, taskEnv: ['DATABASE_URL'] }, FILE);
  expect(read).toThrow(
    /config\.ts: pools is \["Mail"\].*lower-case.*; concurrency is 0.*1 to 10,000; taskEnv is \["DATABASE_URL"\]/,
  );
});

import { expect, test } from 'vitest';
import { taskEnvironment } from './task-environment.ts';

const env = {
  PATH: '/bin',
  TZ: 'UTC',
  LANG: '',
  DATABASE_URL: 'postgres://x',
  REDIS_URL: 'redis://x',
  REDIS_SENTINEL_PASSWORD: 'x',
  ESCAPEMENT_SMTP_URL: 'smtp://x',
  ESCAPEMENT_SECRET_A: 'x',
  ESCAPEMENT_SECRETS: 'SHOP_* tasks=shop-*|report pools=shop, PAY_KEY hosts=pay.example',
  PAY_KEY: 'x',
  SHOP_KEY: 'x',
  HTTP_PROXY: 'http://p',
  AWS_REGION: 'eu',
  AWS_SECRET: 'x',
};

test('tasks get what a machine has for all, and nothing else', () => {
  expect(taskEnvironment(env)).toEqual({ PATH: '/bin', TZ: 'UTC' });
});

test('a worker may open more', () => {
  expect(taskEnvironment(env, ['HTTP_PROXY', 'AWS_R*'])).toEqual({
    PATH: '/bin',
    TZ: 'UTC',
    HTTP_PROXY: 'http://p',
    AWS_REGION: 'eu',
  });
});

test('secrets and settings of Escapement are never opened', () => {
  expect(taskEnvironment(env, ['DATABASE_URL', 'REDIS_*', 'ESCAPEMENT_*', 'SHOP_KEY', 'SHOP*', 'PAY_*'])).toEqual({
    PATH: '/bin',
    TZ: 'UTC',
  });
});

import { expect, test } from 'vitest';
import type { CronJobOptions } from './cron-job.ts';
import { readManifests } from './read-manifests.ts';

interface Parts {
  metadata?: object;
  spec?: object;
  job?: object;
  pod?: object;
  container?: object;
}

const cronJob = ({ metadata, spec, job, pod, container }: Parts = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'report', ...metadata },
  spec: {
    schedule: '30 2 * * 1-5',
    timeZone: 'Europe/Berlin',
    concurrencyPolicy: 'Forbid',
    ...spec,
    jobTemplate: {
      spec: {
        ...job,
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'main', command: ['/bin/report'], args: ['--full'], ...container }],
            ...pod,
          },
        },
      },
    },
  },
});

const OPTIONS: CronJobOptions = { timeZone: 'UTC' };
const read = (value: unknown, options = OPTIONS) => readManifests([{ value, place: 'shop.yaml:1' }], options);

function one(parts: Parts, options = OPTIONS) {
  const { tasks, refused } = read(cronJob(parts), options);
  if (!tasks[0]) throw new Error(JSON.stringify(refused));
  return tasks[0];
}

const handlerOf = (container: object) => one({ container }).task.handler;
const reasonOf = (parts: Parts) => read(cronJob(parts)).refused[0]?.reason;

test('a CronJob becomes a shell task with the rules of Kubernetes', () => {
  const { task, atFirst, paused, lost, notes } = one({
    metadata: { namespace: 'shop', labels: { app: 'report', 'app.kubernetes.io/part-of': 'shop' } },
    spec: { startingDeadlineSeconds: 600, successfulJobsHistoryLimit: 3 },
    job: { backoffLimit: 2, activeDeadlineSeconds: 900 },
  });
  expect(task).toEqual({
    name: 'shop/report',
    schedule: { kind: 'cron', expression: '30 2 * * 1-5', timeZone: 'Europe/Berlin' },
    startDeadlineMs: 600_000,
    catchUp: { policy: 'latest', withinMs: 600_000 },
    overlap: 'skip',
    handler: { type: 'shell', argv: ['/bin/report', '--full'] },
    retry: { maxAttempts: 3, backoff: { kind: 'exponential', delayMs: 10_000, capMs: 360_000 } },
    timeoutMs: 900_000,
  });
  expect({ atFirst, paused, lost }).toEqual({
    atFirst: { labels: { app: 'report', 'app.kubernetes.io/part-of': 'shop' } },
    paused: false,
    lost: [],
  });
  expect(notes).toEqual([expect.stringContaining('for each attempt')]);
});

test('what a CronJob leaves out is as Kubernetes has it', () => {
  const { task, atFirst, notes } = one({ spec: { timeZone: undefined, concurrencyPolicy: undefined } });
  expect(task).toMatchObject({
    schedule: { timeZone: 'UTC' },
    overlap: 'allow',
    retry: { maxAttempts: 7 },
    catchUp: { policy: 'latest', withinMs: 31_622_400_000 },
  });
  expect(task).not.toHaveProperty('startDeadlineMs');
  expect(atFirst).toEqual({ timeoutMs: 86_400_000 });
  expect(notes).toEqual([expect.stringContaining('zone UTC')]);
});

test('a suspended CronJob is a paused task; backoffLimit 0 is one attempt', () => {
  expect(one({ spec: { suspend: true }, job: { backoffLimit: 0 } })).toMatchObject({
    paused: true,
    task: { retry: { maxAttempts: 1 } },
  });
});

test.each([
  ['@every 1h30m', { kind: 'every', everyMs: 5_400_000 }],
  ['@hourly', { kind: 'cron', expression: '@hourly', timeZone: 'Europe/Berlin' }],
  ['*/5 * ? * MON-FRI', { kind: 'cron', expression: '*/5 * ? * MON-FRI', timeZone: 'Europe/Berlin' }],
])('the schedule %s', (schedule, spec) => {
  expect(one({ spec: { schedule } }).task.schedule).toEqual(spec);
});

test.each([
  [['/bin/sh', '-c'], ['date; echo $$HOME $(date) $(A)'], { command: 'date; echo $HOME $(date) 1' }],
  [['bash', '-c', 'a'], [], { command: 'a', shell: '/bin/bash' }],
  [['/bin/a', '$(A)', '$(B)', '$$(A)'], [], { argv: ['/bin/a', '1', '$(B)', '$(A)'] }],
  [['/bin/a'], ['--token=$(T)', "it's"], { command: `exec /bin/a --token="\${T}" 'it'\\''s'` }],
])('the command %j with %j', (command, args, expected) => {
  const env = [
    { name: 'A', value: '1' },
    { name: 'T', valueFrom: { secretKeyRef: { name: 'shop', key: 'token' } } },
  ];
  expect(handlerOf({ command, args, env })).toMatchObject(expected);
});

test('a variable from a Secret is a secret of the workers, and the notes say which', () => {
  const { task, notes } = one({
    container: {
      env: [
        { name: 'MODE', value: 'full' },
        { name: 'EMPTY' },
        { name: 'PGPASSWORD', valueFrom: { secretKeyRef: { name: 'shop-db', key: 'password' } } },
      ],
    },
  });
  expect(task.handler).toMatchObject({
    env: { MODE: 'full', EMPTY: '', PGPASSWORD: { secret: 'ESCAPEMENT_SECRET_SHOP_DB_PASSWORD' } },
  });
  expect(notes).toEqual([expect.stringMatching(/ESCAPEMENT_SECRET_SHOP_DB_PASSWORD.*kubectl get secret shop-db/)]);
});

test('what a task does not take over is said, with what to do', () => {
  const { lost } = one({
    job: { parallelism: 4, podFailurePolicy: { rules: [{}] } },
    pod: { initContainers: [{ name: 'wait' }], volumes: [{ name: 'data' }], serviceAccountName: 'jobs' },
    container: {
      image: 'shop/report:7',
      resources: { limits: { memory: '1Gi' } },
      envFrom: [{ configMapRef: { name: 'a' } }],
      env: [
        { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
        { name: 'a.b', value: '1' },
      ],
    },
  });
  expect(lost).toEqual([
    expect.stringMatching(/^image shop\/report:7: .*--pool/),
    'resources, envFrom of main: they are those of the worker',
    expect.stringMatching(/^env IP from fieldRef/),
    expect.stringMatching(/^env a\.b/),
    expect.stringMatching(/^initContainers wait/),
    'volumes, serviceAccountName of the pod: the worker needs the files at the same paths',
    expect.stringMatching(/^completions, parallelism/),
    'podFailurePolicy: a task has nothing like it',
  ]);
});

test.each<[Parts, RegExp]>([
  [{ container: { command: undefined } }, /no command: what it runs is the entry point of its image/],
  [{ container: { command: 'a' } }, /command is not what Kubernetes takes there: it has to be a list/],
  [{ pod: { containers: [] } }, /no container/],
  [{ spec: { schedule: 'TZ=UTC 0 0 * * *' } }, /put the zone into timeZone/],
  [{ spec: { schedule: '0 0 31 2 *' } }, /never comes/],
  [{ spec: { schedule: '@every soon' } }, /no span of time/],
  [{ spec: { schedule: undefined } }, /no spec\.schedule/],
  [{ spec: { timeZone: 'Europe/Berln' } }, /did you mean Europe\/Berlin/],
  [{ spec: { concurrencyPolicy: 'Sometimes' } }, /Allow, Forbid or Replace/],
  [{ spec: { startingDeadlineSeconds: '5' } }, /startingDeadlineSeconds is not what Kubernetes takes there/],
  [{ metadata: { name: undefined } }, /no metadata\.name/],
])('%j is refused with the reason', (parts, reason) => {
  expect(reasonOf(parts)).toMatch(reason);
});

test('the items of a list are read one by one; other kinds are counted, and what is no object is refused', () => {
  const list = { apiVersion: 'v1', kind: 'List', items: [cronJob(), { kind: 'Service' }, { kind: 'Service' }, 7] };
  const { tasks, refused, notes } = read(list);
  expect(tasks.map(({ place }) => place)).toEqual(['shop.yaml:1, item 1 of 4']);
  expect(refused).toEqual([{ place: 'shop.yaml:1, item 4 of 4', reason: expect.stringContaining('no kind') }]);
  expect(notes).toEqual(['only CronJobs become tasks; left out: 2 Service']);
  expect(read({ ...cronJob(), apiVersion: 'batch/v2' }).refused).toEqual([
    { place: 'shop.yaml:1', reason: 'apiVersion is "batch/v2": batch/v1 is read' },
  ]);
});

test('a prefix and a pool are those asked for', () => {
  expect(one({}, { timeZone: 'UTC', prefix: 'eu/', pool: 'batch' }).task).toMatchObject({
    name: 'eu/report',
    pool: 'batch',
  });
});

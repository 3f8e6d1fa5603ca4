import { findTask, listTasks } from '@escapement/store';
import { expect, test } from 'vitest';
import { cliDatabase, folder, runCli } from './cli.ts';

const { env, db } = await cliDatabase();
const files = await folder();

const cronJob = (name: string, more = '', env = '') => `
apiVersion: batch/v1
kind: CronJob
metadata: { name: ${name}, namespace: shop }
spec:
  schedule: "30 2 * * *"
  concurrencyPolicy: Forbid
  ${more}
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: main
              image: shop/report:7
              command: [/bin/report, --full]
              ${env}
`;

const run = async (args: string[], input?: string) =>
  await runCli(['import', 'k8s', ...args], input === undefined ? { env } : { env, input });

test('the CronJobs of several documents are shown, written, and unchanged the next time; a bad one stops no other one', async () => {
  const text = [
    cronJob('report'),
    cronJob('idle', 'suspend: true'),
    cronJob('bad', 'timeZone: Mars/Base'),
    'kind: Service\n',
  ].join('---\n');
  const file = await files.write('shop.yaml', text);
  const shown = await run([file]);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(
    /shop\.yaml:2 +at 02:30 every day +UTC +\S+ 02:30:00 \+00:00 +create +shop\/report +1$/m,
  );
  expect(shown.stdout).toMatch(/shop\.yaml:\d+ +at 02:30 every day \(paused\) +UTC +- +create +shop\/idle/m);
  expect(shown.stdout).toMatch(/shop\.yaml:\d+ refused: unknown time zone "Mars\/Base"/);
  expect(shown.stdout).toContain('not taken over (all): image shop/report:7');
  expect(shown.stdout).toContain('note: only CronJobs become tasks; left out: 1 Service');
  expect(await listTasks(db)).toEqual([]);
  expect((await run([file, '--write'])).stdout).toContain('2 created, 0 updated, 0 unchanged, 1 refused.');
  expect((await findTask(db, 'shop/report'))?.pauses).toEqual([]);
  expect((await findTask(db, 'shop/idle'))?.pauses).toMatchObject([{ untilAt: null }]);
  expect((await run([file, '--write'])).stdout).toContain('0 created, 0 updated, 2 unchanged, 1 refused.');
  // Handed over: suspended there, resumed here.
  await runCli(['tasks', 'resume', 'shop/idle'], { env });
  await run(['-', '--write'], cronJob('idle', 'suspend: true').replace('30 2', '45 3'));
  expect(await findTask(db, 'shop/idle')).toMatchObject({
    pauses: [],
    definition: { schedule: { expression: '45 3 * * *' } },
  });
});

test('a manifest that is no YAML is refused with its place, and an unreadable file as a whole', async () => {
  const broken = await run(['-'], 'kind: CronJob\n  spec: [');
  expect(broken).toMatchObject({ code: 2, stdout: expect.stringMatching(/^stdin:2 refused: /m) });
  expect(await run(['-'], 'hello: world')).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/^stdin:1 refused: it has no kind/m),
  });
  expect(await run(['-', '--strict', '--write'], 'kind: CronJob\n  spec: [')).toMatchObject({ code: 2 });
  expect(await run(['/nowhere.yaml'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no such file'),
  });
});

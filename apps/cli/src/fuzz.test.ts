import { checkUnknownTask } from '@escapement/core';
import { readCrontab, readManifests, readSchedulers, readUnits } from '@escapement/formats';
import { editDefinition } from '@escapement/operations';
import { type FuzzTarget, fuzz, fuzzOptions } from '@escapement/testkit/fuzz';
import { expect, test } from 'vitest';
import { readTaskFiles } from './apply/read-files.ts';
import { readAssignment } from './changes/assignment.ts';

const TARGETS: Record<string, FuzzTarget> = {
  crontabs: {
    corpus: [
      'CRON_TZ=Europe/Berlin\nMAILTO=ops@example.com\n\n# Nightly\n30 2 * * mon-fri pg_dump shop | gzip > a.gz\n',
      '*/5 * * * * root mail joe%Dear Joe,%50\\% off\n@reboot start\nPATH="/bin:/usr/bin"\n',
      '0 0 31 2 * echo never\n@daily date +\\%F\n',
      // What was meant by an unknown zone was searched for anew at each line.
      `CRON_TZ=Europe/ver\n${'@daily der\n'.repeat(110)}`,
    ],
    words: [
      '@reboot',
      '* * * * *',
      'TZ=',
      'MAILTO=""',
      'SHELL=/bin/bash',
      '%',
      '\\%',
      '\n',
      '# ',
      '-',
      'CRON_TZ=Nowhere/Land',
    ],
    run(text) {
      for (const system of [false, true])
        readCrontab(text, { name: 'fuzz', system, timeZone: 'UTC', timeZoneFrom: '--tz' });
    },
  },
  'files of tasks': {
    corpus: [
      'name: a\nhandler: { type: shell, command: x }\nschedule: { kind: every, everyMs: 60000 }\npayload: &p [1, *p]\n',
      'tasks:\n  - &base\n    name: a\n    handler: { type: http, url: "https://x.example/", headers: { A: b } }\n  - { <<: *base, name: b }\n',
      '{ "name": "c", "handler": { "type": "code", "name": "c" }, "retry": { "maxAttempts": 3 } }\n---\n- name: d\n',
    ],
    words: [
      '&a',
      '*a',
      '<<: *a',
      '- ',
      ': ',
      '{',
      '}',
      '!!binary',
      '!!set',
      '---\n',
      '|\n  ',
      '>-\n',
      '? ',
      '"\\x00"',
      'handler:',
      'null',
    ],
    async run(text) {
      const { tasks } = await readTaskFiles(['-'], async () => text);
      for (const { value } of tasks) checkUnknownTask(value);
    },
  },
  'units of systemd': {
    corpus: [
      '[Timer]\nOnCalendar=Mon..Fri *-*~7/1 02:30:00 Europe/Berlin\nOnCalendar=*:0/15\nRandomizedDelaySec=1h 30min\nPersistent=yes\n',
      `[Service]\nType=oneshot\nUser=a\nEnvironment="A=b c" D=%i\nExecStart=-/bin/sh -c "echo \${A} $$B \\x20"\nExecStart=/bin/a \\\n  b\n`,
    ],
    words: [
      'OnCalendar=',
      '..',
      '~',
      '/',
      ',',
      ':',
      '*',
      'ExecStart=',
      '%n',
      `\${A}`,
      '\\',
      '"',
      "'",
      '\n',
      '[Service]',
      '0/1',
    ],
    run(text) {
      const files = [
        { path: '/u/a@b.timer', text },
        { path: '/u/a@b.service', text: `${text}\n[Timer]\nOnCalendar=daily\n` },
      ];
      readUnits({ files, timers: ['/u/a@b.timer'], timeZone: 'UTC' });
      const service = [
        { path: '/u/a.timer', text: '[Timer]\nOnCalendar=daily\n' },
        { path: '/u/a.service', text },
      ];
      readUnits({ files: service, timers: ['/u/a.timer'], timeZone: 'UTC' });
    },
  },
  'manifests of Kubernetes': {
    corpus: [
      'apiVersion: batch/v1\nkind: CronJob\nmetadata: { name: a }\nspec: { schedule: "@every 1h", jobTemplate: { spec: { template: { spec: { containers: [{ command: [a, $(B)], env: [{ name: B, value: c }] }] } } } } }\n',
      'kind: List\nitems:\n- apiVersion: batch/v1\n  kind: CronJob\n  metadata: { name: b, labels: { a: b } }\n  spec: { schedule: "0 0 * * *", timeZone: UTC, suspend: true }\n',
    ],
    words: ['kind: CronJob', 'spec:', '- ', ': ', '{', '}', '[', ']', 'null', '&a', '*a', '-1', '1e99', '$(B)', '$$'],
    async run(text) {
      const { tasks } = await readTaskFiles(['-'], async () => text);
      readManifests(
        tasks.map(({ value, line }) => ({ value, place: `stdin:${line}` })),
        { timeZone: 'UTC' },
      );
    },
  },
  'job schedulers of BullMQ': {
    corpus: [
      'send:id:1893456000000:Europe/Berlin:0 5 * * 1',
      '{"attempts":3,"backoff":{"type":"fixed","delay":1}}',
      'send::::30000',
    ],
    words: [':', '{"attempts":', 'null', '1e99', '-1', '* * * * *', '[]', '"'],
    run(text) {
      const fields = { name: text, pattern: text, opts: text, data: text, endDate: text, ic: '1' };
      const stored = [
        { id: text, fields: null, job: {} },
        { id: 'a', fields: { name: 'a', every: '1000', opts: text, data: text }, job: {} },
        { id: 'b', fields, job: { data: text } },
      ];
      readSchedulers({ queue: 'q', stored, timeZone: 'UTC' });
    },
  },
  'paths of an edit': {
    corpus: ['handler.env.A=1', 'retry={"maxAttempts":3}', 'payload.a.b.c="x"'],
    words: ['.', '=', '__proto__', 'constructor.prototype', '{"a":', 'handler'],
    run: (text) => editDefinition({ handler: { env: {} }, payload: [1] }, [readAssignment(text)]),
  },
};

test('a number in a file or an edit that would change is refused, where it stands', async () => {
  const text = 'name: a\npayload:\n  id: 9007199254740993\n  small: 0x1f\n  half: .5\n  text: "9007199254740993"\n';
  const { tasks, problems } = await readTaskFiles(['-'], async () => text);
  expect(tasks).toEqual([]);
  expect(problems).toEqual([
    expect.objectContaining({ line: 3, message: expect.stringContaining('9007199254740993, which would become') }),
  ]);
  expect(() => readAssignment('payload.id=9007199254740993')).toThrow(expect.objectContaining({ code: 'json_number' }));
  expect(readAssignment('payload.id="9007199254740993"')).toMatchObject({ value: '9007199254740993' });
});

test.each(Object.entries(TARGETS))(
  '%s: no input crashes or holds a processor up',
  { timeout: 600_000 },
  async (_, target) => {
    expect(await fuzz(target, fuzzOptions(process.env))).toEqual([]);
  },
);

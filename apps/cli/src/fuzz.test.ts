import { checkUnknownTask, editDefinition, readCrontab } from '@escapement/operations';
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
  'paths of an edit': {
    corpus: ['handler.env.A=1', 'retry={"maxAttempts":3}', 'payload.a.b.c="x"'],
    words: ['.', '=', '__proto__', 'constructor.prototype', '{"a":', 'handler'],
    run: (text) => editDefinition({ handler: { env: {} }, payload: [1] }, [readAssignment(text)]),
  },
};

test.each(Object.entries(TARGETS))(
  '%s: no input crashes or holds a processor up',
  { timeout: 600_000 },
  async (_, target) => {
    expect(await fuzz(target, fuzzOptions(process.env))).toEqual([]);
  },
);

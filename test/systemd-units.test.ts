import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterFile } from '@escapement/testkit';
import { expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('../deploy/systemd/', import.meta.url));
const DROP_IN = 'escapement-worker.service.d/crontabs.conf';
const units = readdirSync(FOLDER).filter((name) => name.endsWith('.service'));
const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
const isThere = analyze('--version').status === 0;

// Left out where the program is not installed (Debian: `apt-get install systemd`).
test.skipIf(!isThere)(
  'systemd has nothing to say against the units of the programs, and the drop-in for crontabs',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'escapement-units-'));
    afterFile(() => rmSync(folder, { recursive: true, force: true }));
    // It wants the program to be there, which is elsewhere on some machines.
    for (const unit of units)
      writeFileSync(
        join(folder, unit),
        readFileSync(join(FOLDER, unit), 'utf8').replace('/usr/bin/node', process.execPath),
      );
    cpSync(join(FOLDER, DROP_IN), join(folder, DROP_IN), { recursive: true });
    const { status, stderr } = analyze('verify', ...units.map((unit) => join(folder, unit)));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  },
);

test('each program has a unit that starts it, reads its settings and leaves its tasks the time to end', () => {
  expect(units.toSorted()).toEqual([
    'escapement-api.service',
    'escapement-scheduler.service',
    'escapement-worker.service',
  ]);
  for (const unit of units) {
    const text = readFileSync(join(FOLDER, unit), 'utf8');
    const [, program = ''] = /escapement-(\w+)/.exec(unit) ?? [];
    expect(text).toMatch(new RegExp(`^ExecStart=.* start ${program}$`, 'm'));
    expect(text).toContain(`EnvironmentFile=-/etc/escapement/${program}.env`);
    expect(text).toContain('NoNewPrivileges=yes');
    expect(text).toContain('KillMode=mixed');
  }
});

test('the drop-in for crontabs opens all that the unit of the worker closes', () => {
  const settings = (file: string) =>
    new Map(
      [...readFileSync(join(FOLDER, file), 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    );
  const opened = settings(DROP_IN);
  const closed = [...settings('escapement-worker.service').keys()].filter((name) =>
    /^(?:Capability|NoNew|Protect|Private|Restrict|Lock|SystemCall|Memory|ReadOnly|Inaccessible)/.test(name),
  );
  expect(closed.length).toBeGreaterThan(10);
  for (const name of closed) expect([name, opened.get(name)]).toEqual([name, expect.stringMatching(/^(?:no|~|)$/)]);
});

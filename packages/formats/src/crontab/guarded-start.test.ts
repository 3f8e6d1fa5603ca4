import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { guardedStart } from './guarded-start.ts';
import { patchCrontab } from './patch-crontab.ts';
import { splitPercent } from './percent.ts';

let folder: string;
let node: string;
let entry: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'escapement-start-'));
  node = path.join(folder, "it's 100% node");
  entry = path.join(folder, 'escapement.js');
  // In place of node: says what it is given, and runs nothing.
  writeFileSync(node, '#!/bin/sh\nshift\nprintf "<%s>" "$@"\nexit 9\n', { mode: 0o755 });
  writeFileSync(entry, '');
});

afterEach(() => rmSync(folder, { recursive: true }));

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

interface Surroundings {
  program?: string;
  shell?: string;
  env?: Record<string, string>;
  as?: { uid: number; gid: number };
}

/** What cron makes of a command that is patched: its shell, its input, a home and a short PATH. */
function cronRuns(command: string, { program, shell = '/bin/sh', env = {}, as = undefined }: Surroundings = {}) {
  const terms = { source: 'web1', system: false, program: program ?? `${quoted(node)} ${quoted(entry)}` };
  const { text, lines } = patchCrontab(Buffer.from(`* * * * * ${command}\n`), terms);
  const line = text.toString();
  expect(line.trimEnd()).not.toContain('\n');
  const { command: forShell, stdin: input = '' } = splitPercent(line.slice('* * * * * '.length).trimEnd());
  const { status, stdout, stderr } = spawnSync(shell, ['-c', forShell], {
    ...{ encoding: 'utf8', input, cwd: '/', ...as },
    env: { HOME: folder, SHELL: shell, PATH: '/usr/bin:/bin', ...env },
  });
  return { id: lines[0]?.id ?? '', code: status, stdout, stderr };
}

const HARD = `read line; echo "it's $line" '100\\%' "$GREETING" | tr a-z A-Z; echo \\\\x >&2; exit 3`;
const INPUT = '%Dear Ann,%50\\% off';
const PLAIN = { code: 3, stdout: "IT'S DEAR ANN, 100% HELLO\n" };
const told = (id: string) => `line ${id} is not reported: escapement is not there\n`;
const env = { GREETING: 'hello' };

describe('a patched line', () => {
  it('is the program, with its arguments, where that is there', () => {
    const { id, ...ran } = cronRuns(`${HARD}${INPUT}`, { env });
    expect(ran).toMatchObject({ code: 9, stderr: '' });
    expect(ran.stdout).toBe(`<report><--line><${id}><--><${splitPercent(HARD).command}>`);
  });

  it.each(['node', 'entry'])('is the plain command where %s is not there, with its input, output and end', (gone) => {
    rmSync(gone === 'node' ? node : entry);
    for (const shell of ['/bin/sh', '/bin/bash']) {
      const { id, stderr, ...ran } = cronRuns(`${HARD}${INPUT}`, { env, shell });
      expect(ran).toEqual(PLAIN);
      expect(stderr).toMatch(new RegExp(`^${told(id)}\\\\\\\\?x\n$`));
    }
  });

  it('is the plain command where node cannot be run', () => {
    chmodSync(node, 0o644);
    expect(cronRuns('echo plain')).toMatchObject({ code: 0, stdout: 'plain\n' });
  });

  it.skipIf(process.getuid?.() !== 0)('is the plain command where its user cannot read the program', () => {
    chmodSync(folder, 0o755);
    chmodSync(entry, 0o600);
    const as = { uid: 65534, gid: 65534 };
    expect(cronRuns('id -u', { as })).toMatchObject({ code: 0, stdout: '65534\n' });
  });

  it('runs in the shell of the crontab', () => {
    rmSync(entry);
    const ran = cronRuns('[[ a == a ]] && echo $0', { shell: '/bin/bash' });
    expect(ran).toMatchObject({ code: 0, stdout: '/bin/bash\n' });
  });

  it.each(['HOME', 'XDG_STATE_HOME'])('that the fleet has is left to it, by the mark below %s', (name) => {
    rmSync(entry);
    const state = path.join(folder, name === 'HOME' ? '.local/state' : 'state');
    const given = name === 'HOME' ? {} : { XDG_STATE_HOME: state };
    const { id } = cronRuns('echo ran', { env: given });
    mkdirSync(path.join(state, 'escapement/lines'), { recursive: true });
    writeFileSync(path.join(state, 'escapement/lines', `${id}.fleet`), '');
    expect(cronRuns('echo ran', { env: given })).toEqual({
      ...{ id, code: 0, stdout: '' },
      stderr: `${told(id)}the fleet has it\n`,
    });
  });

  it('finds a program by its name in PATH, and is the plain command where it is not there', () => {
    writeFileSync(path.join(folder, 'escapement'), '#!/bin/sh\necho "$1"\n', { mode: 0o755 });
    const program = 'escapement';
    expect(cronRuns('echo plain', { program, env: { PATH: `${folder}:/bin` } }).stdout).toBe('report\n');
    expect(cronRuns('echo plain', { program })).toMatchObject({ code: 0, stdout: 'plain\n' });
  });
});

it.each(['cd /opt && ./escapement', 'exec escapement', 'A=1 escapement', 'escapement "$X"', 'a b c d e f g h i j k'])(
  'a program that is more than words is started as it is given: %s',
  (program) => {
    expect(guardedStart(program)).toBe(program);
  },
);

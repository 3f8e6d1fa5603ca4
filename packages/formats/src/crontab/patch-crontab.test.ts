import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import files from '../../test/corpora/crontabs.json' with { type: 'json' };
import { lineIds } from './line-ids.ts';
import { parseCrontab } from './parse.ts';
import { patchCrontab, unpatchCrontab, unpatched } from './patch-crontab.ts';
import { splitPercent } from './percent.ts';
import { readCrontab } from './read-crontab.ts';

const PROGRAM = "'/usr/bin/node' '/opt/100% of it/escapement.js'";
const options = { source: 'web1', system: false, program: PROGRAM };
const patch = (text: string, more: Partial<typeof options> = {}) =>
  patchCrontab(Buffer.from(text), { ...options, ...more });
const unpatch = (text: Buffer, more: Partial<typeof options> = {}) => unpatchCrontab(text, { ...options, ...more });
const ID = /[0-9a-f]{12}(?:-\d+)?/;

/** What a shell makes of a command: its words behind the `--` are printed one a line. */
function wordsOf(command: string): string {
  const [, wrapped = ''] = command.split(' -- ', 2);
  return spawnSync('/bin/sh', ['-c', `printf '%s' ${command.slice(command.indexOf(wrapped))}`], { encoding: 'utf8' })
    .stdout;
}

describe('a crontab that is patched', () => {
  it('reports each command, and says the rest as it did', () => {
    const { text, lines } = patch(
      'MAILTO=a@b.example\n# nightly\n 30 2  * * *\tpg_dump shop | gzip \n@daily mail ann%Dear Ann,%50\\% off\r\n',
    );
    const [mail, comment, nightly, daily, end] = text.toString().split('\n');
    expect([mail, comment, end]).toEqual(['MAILTO=a@b.example', '# nightly', '']);
    expect(nightly).toMatch(
      /^ 30 2 {2}\* \* \*\t\/bin\/sh -c '[^']*' '\/usr\/bin\/node' '\/opt\/100\\% of it\/escapement.js' report --line \S+ -- 'pg_dump shop \| gzip' $/,
    );
    expect(daily).toMatch(/ report --line \S+ -- 'mail ann'%Dear Ann,%50\\% off\r$/);
    expect(lines.map(({ line, id, action }) => [line, ID.test(id ?? ''), action])).toEqual([
      [3, true, 'wrapped'],
      [4, true, 'wrapped'],
    ]);
  });

  it('gives the shell the very command', () => {
    const hard = `echo "it's" 'q' \\'x\\' $HOME \`date +\\%H\` "\\\\" && a='b'\\''c'`;
    const { text } = patch(`* * * * * ${hard}\n`);
    const [, command = ''] = text.toString().split("escapement.js' ");
    expect(wordsOf(splitPercent(command.trimEnd()).command)).toBe(splitPercent(hard).command);
  });

  it('is the same to the byte when the patch is taken back, whatever its encoding and line ends', () => {
    const latin1 = Buffer.from('# Gr\u00fc\u00dfe\r\n0 1 * * * echo one\r\n* * * * * echo "it\'s"', 'latin1');
    expect(unpatch(patchCrontab(latin1, options).text)).toEqual({ text: latin1, lines: [2, 3] });
    for (const file of files) {
      const text =
        file.lines.map((line) => line.text).join(file.crlf ? '\r\n' : '\n') + (file.finalNewline ? '\n' : '');
      const { system } = file;
      const patched = patch(text, { system });
      expect(unpatch(patched.text, { system }).text.toString(), file.id).toBe(text);
      const made = readCrontab(text, { name: 'web1', system, timeZone: 'UTC', timeZoneFrom: '--tz' }).tasks;
      expect(patched.lines.filter(({ id }) => id !== null).map(({ line, id }) => ({ line, id }))).toEqual(
        made.map(({ line, id }) => ({ line, id })),
      );
    }
  });

  it('is imported as it was before', () => {
    const text = '0 1 * * * echo "it\'s"\n0 1 * * * echo "it\'s"\n';
    expect(unpatched(patch(text).text.toString(), false).text).toBe(text);
    expect(patch(text).lines.map(({ id }) => id?.replace(ID, (id) => id.slice(12)))).toEqual(['', '-2']);
  });

  it('and then patched again, in part or in whole, is what it would be at once', () => {
    const text = '0 1 * * * one\n0 2 * * * two\n';
    const [first = ''] = patch(text).text.toString().split('\n');
    const half = `${first}\n0 2 * * * two\n`;
    expect(patch(half)).toMatchObject({ text: patch(text).text, lines: [{ action: 'kept' }, { action: 'wrapped' }] });
    expect(patch(patch(text).text.toString()).lines).toMatchObject([{ action: 'kept' }, { action: 'kept' }]);
  });

  it('and then edited keeps its patch until somebody says what is right', () => {
    const edited = patch('0 1 * * * one\n0 2 * * * two\n').text.toString().replace('0 2', '0 3');
    expect(() => unpatch(Buffer.from(edited))).toThrow('line 2: changed since it was patched as part of "web1"');
    expect(() => unpatch(patch('0 1 * * * one\n').text, { source: 'web2' })).toThrow('line 1: changed');
    expect(unpatch(patch(edited).text).text.toString()).toBe('0 1 * * * one\n0 3 * * * two\n');
  });
});

describe('an import of a patched crontab', () => {
  const read = (text: string, name: string) =>
    readCrontab(text, { name, system: false, timeZone: 'UTC', timeZoneFrom: '--tz', shadow: true });

  it('says of each line that its host reports under another id, and why that may be', () => {
    const text = patch('0 1 * * * one\n0 2 * * * two\n').text.toString().replace(/^0 2/m, '0 3');
    const [, written = ''] = /--line (\S+) -- 'two'/.exec(text) ?? [];
    const notes = (name: string) =>
      read(text, name).tasks.map((task) => task.notes.filter((note) => /--source/.test(note)));
    expect(notes('web1')).toMatchObject([[], [expect.stringContaining(`reported as ${written}`)]]);
    expect(notes('web2')).toEqual([
      [expect.stringMatching(/^reported as [0-9a-f]{12}, and here it is [0-9a-f]{12}.*--source, --system or --user/)],
      [expect.stringContaining(`reported as ${written}`)],
    ]);
  });

  it.each([
    'escapement report --line nightly -- pg_dump shop',
    "/usr/bin/node /opt/escapement.js report --line=0123456789ab -- 'pg_dump' shop",
    'escapement report --line 0123456789ab -- "pg_dump shop"',
  ])('refuses a line that was wrapped by hand, and its patch leaves it: %s', (command) => {
    const text = `0 1 * * * ${command}\n`;
    expect(read(text, 'web1')).toMatchObject({
      tasks: [],
      bad: [{ reason: expect.stringMatching(/would run the report.*escapement shadow patch/s) }],
    });
    expect(patch(text)).toMatchObject({ text: Buffer.from(text), lines: [{ id: null, action: 'left' }] });
  });

  it('takes a command that only speaks of a report', () => {
    expect(read('0 1 * * * make report --line 5\n', 'web1').tasks).toHaveLength(1);
  });
});

it('a line that is no task stays as it is; of one that cron would not take any more the whole file is refused', () => {
  expect(patch('0 0 31 2 * never\nnonsense\n').lines).toEqual([{ line: 1, id: null, action: 'left' }]);
  expect(() => patch(`0 1 * * * one\n0 2 * * * ${'x'.repeat(950)}\n`)).toThrow(
    'line 2: wrapped, the command would be longer than the 998 bytes',
  );
});

it('the id of a line depends on what it says and where, not on its place', () => {
  const ids = (text: string, source = 'web1') => [...lineIds(parseCrontab(text), source).values()];
  expect(ids('0 1 * * * one\n\n0 2 * * * two\n')).toEqual(ids('0 1  * * * one\n0 2 * * *   two\n'));
  expect(
    new Set([
      ...ids('0 1 * * * one'),
      ...ids('0 2 * * * one'),
      ...ids('0 1 * * * two'),
      ...ids('0 1 * * * one', 'web2'),
    ]).size,
  ).toBe(4);
});

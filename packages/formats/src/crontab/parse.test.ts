import { expect, test } from 'vitest';
import { type CrontabLine, parseCrontab, type ScheduleLine } from './parse.ts';

function scheduled(text: string, system = false): ScheduleLine[] {
  return parseCrontab(text, { system }).filter((line) => line.kind === 'schedule');
}

function reason(text: string, system = false): string {
  const [line] = parseCrontab(text, { system });
  return line?.kind === 'bad' ? line.reason : `not bad: ${line?.kind}`;
}

const kinds = (lines: CrontabLine[]) => lines.map((line) => line.kind);

test('every line is kept with its number and text', () => {
  const lines = parseCrontab('# hi\n\nA=b\n* * * * * true\nnonsense\n');
  expect(kinds(lines)).toEqual(['comment', 'blank', 'env', 'schedule', 'bad']);
  expect(lines.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
  expect(lines[3]?.text).toBe('* * * * * true');
});

test('CRLF, a byte order mark, leading blanks and a missing final newline change nothing', () => {
  const expected = { schedule: '0 5 * * 1', command: '/bin/a b' };
  for (const text of [
    '0 5 * * 1 /bin/a b',
    '0 5 * * 1 /bin/a b\r\n',
    '\uFEFF0 5 * * 1\t/bin/a b',
    ' \t0  5 *\t* 1   /bin/a b  \n',
  ])
    expect(scheduled(text)[0]).toMatchObject(expected);
});

test('an empty file has no line', () => {
  expect(parseCrontab('')).toEqual([]);
  expect(kinds(parseCrontab('\n'))).toEqual(['blank']);
});

test('settings apply to the lines below them, the last one of a name', () => {
  const lines = scheduled('* * * * * one\nA=1\nB=2\n* * * * * two\nA=3\n* * * * * three\n');
  expect(lines.map(({ env }) => env)).toEqual([{}, { A: '1', B: '2' }, { A: '3', B: '2' }]);
});

test('a system crontab has a user column', () => {
  expect(scheduled('17 *\t* * *\troot    cd / && run-parts /etc/cron.hourly', true)[0]).toMatchObject({
    schedule: '17 * * * *',
    user: 'root',
    command: 'cd / && run-parts /etc/cron.hourly',
  });
  expect(scheduled('@daily www-data true', true)[0]).toMatchObject({ schedule: '@daily', user: 'www-data' });
});

test('a user column in a user crontab is part of the command, and looks like what it is', () => {
  expect(scheduled('* * * * * root /bin/x')[0]).toMatchObject({ command: 'root /bin/x', notes: [/--system/] });
});

test('macros are kept as they are; that of FreeBSD is spelt out', () => {
  expect(scheduled('@reboot a\n@hourly b\n@every_minute c').map(({ schedule }) => schedule)).toEqual([
    '@reboot',
    '@hourly',
    '* * * * *',
  ]);
});

test('an unescaped percent sign ends the command and begins its standard input', () => {
  expect(scheduled('* * * * * cat%a%b')[0]).toMatchObject({ command: 'cat', stdin: 'a\nb\n' });
  expect(scheduled('* * * * * date +\\%F')[0]).toMatchObject({ command: 'date +%F' });
});

test('an escaped blank at the end of a command is kept, others are not', () => {
  expect(scheduled('* * * * * ls a\\  ')[0]?.command).toBe('ls a\\ ');
});

test.each([
  ['-*/5 * * * * a', 'a', /do not log/],
  ['* * * * * -n -q a', 'a', /flags "-n -q"/],
])('marks of other crons are dropped and said: %s', (text, command, note) => {
  expect(scheduled(text)[0]).toMatchObject({ command, notes: [expect.stringMatching(note)] });
});

test('the comments directly above a line describe it', () => {
  const described = (text: string) => scheduled(text).map(({ description }) => description);
  expect(described('# Backup\n#  nightly\n0 3 * * * a\n0 4 * * * b')).toEqual(['Backup\nnightly', undefined]);
  expect(described('# Far away\n\n0 3 * * * a')).toEqual([undefined]);
  expect(described('# Of the setting\nA=b\n0 3 * * * a')).toEqual([undefined]);
  expect(described('# Edit this file\n#\n# m h  dom mon dow   command\n0 3 * * * a')).toEqual([undefined]);
  expect(described('# Old one\n#0 3 * * * old\n# New one\n0 3 * * * a')).toEqual(['New one']);
  expect(described('#------\n# Title\n#------\n0 3 * * * a')).toEqual(['Title']);
  expect(described('# .---------------- minute (0 - 59)\n# |  .------------- hour (0 - 23)\n0 3 * * * a')).toEqual([
    undefined,
  ]);
  expect(described('# 5 things to do each day\n0 3 * * * a')).toEqual(['5 things to do each day']);
});

test.each([
  ['nonsense', /begins with "nonsense"/],
  ['* * * *', /4 words/],
  ['* * * * *', /no command/],
  ['@daily', /no command/],
  ['@Daily x', /did you mean @daily\?/],
  ['@every 5m x', /"@every" is not a macro/],
  ['* * * * * * x', /sixth field/],
  ['0 5 2 * * 1-5 x', /"1-5": a sixth field/],
  ['0 5 2 * * MON-FRI x', /"MON-FRI": a sixth field/],
  ['0 5 2 * * sat,sun x', /sixth field/],
  ['* * * * * echo caf\uFFFD', /not UTF-8/],
  ['A="b', /neither NAME=value/],
  ['A-B=c', /"A-B" cannot be the name/],
  ['* * * * * a\0b', /NUL/],
])('%s is bad', (text, expected) => {
  expect(reason(text)).toMatch(expected);
});

test.each([
  ['@daily ./manage.py x', /"\.\/manage\.py" stands in the user column/],
  ['* * * * * $HOME/x', /cannot be a user/],
  ['0 5 2 * * 1-5 root x', /sixth field/],
  ['* * * * * root', /no command behind the user "root"/],
  ['* * * * *', /no user and no command/],
])('in a system crontab %s is bad', (text, expected) => {
  expect(reason(text, true)).toMatch(expected);
});

test('NAME= with nothing behind it is taken as empty and said', () => {
  expect(parseCrontab('MAILTO=\n')).toMatchObject([{ kind: 'env', value: '', notes: [/taken as empty/] }]);
});

test('a crontab of a user: each line runs as that user, and a first word is of the command', () => {
  const [line] = parseCrontab('0 1 * * * root x\n', { user: 'ann' });
  expect(line).toMatchObject({ user: 'ann', command: 'root x' });
});

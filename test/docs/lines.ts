import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { groupedBy } from '@escapement/core';
import { allBlocks, type Block, placeOf, typedLines } from '../../scripts/docs/blocks.ts';

/** Why a command is not carried out here. The first that fits counts. */
const LEFT_OUT: readonly [RegExp, string][] = [
  [/^docs\/tutorial\.md/, 'the test of the tutorial follows it'],
  [/^docs\/reference\/schedules\.md/, 'apps/cli/test/docs-schedules.test.ts compares what it prints'],
  [/next '60 /, 'is refused, as is shown: apps/cli/src/docs-commands.test.ts'],
  [/: (?:sudo|docker|kubectl|mongosh|psql) /, 'needs a program, or a right, that is not here'],
  [/: (?:export )?[A-Z_]+=\S*(?: [A-Z_]+=\S+)*$/, 'a setting, for programs that are started elsewhere'],
  [/: #/, 'a remark'],
  [
    /^docs\/how-to\/(?:never-twice|be-told-when|find-out-why|keep-one-job|move-many|run-late)/,
    'with tasks, runs and hosts that its reader has: apps/cli/src/docs-commands.test.ts reads it',
  ],
  [
    /import (?:anacron|host|run-parts)|: scp |example\.com|\/etc\/|redis:\/\/cache|token\.txt|crontab -l|esc_/,
    'needs another host, or what is on it',
  ],
  [
    /: npm |: npx escapement (?:init|dev|build|migrate)|escapement start|escapement-(?:scheduler|worker|api)|apps\/\w+\/dist|cp -r/,
    'starts or installs programs: test/installed-packages.long.test.ts does',
  ],
  [/inspector|openapi-typescript/, 'a program of others'],
  [/^docs\/how-to\/watch-a-job-elsewhere\.md:\d+: (?!escapement)|<&4|>&3/, 'part of a script'],
  [/shadow (?:status|cutover)/, 'needs the reports of a host: apps/cli/test/shadow.test.ts'],
  [/logout/, 'needs somebody who is signed in: apps/cli/test/login.test.ts'],
  [
    /runs (?:resolve|cancel) |keys (?:show|release) |alerts show |recovery (?:run|drop)/,
    'needs a run or an alert in that state: apps/cli/test',
  ],
  [/-N |body\.json|tasks\.json|\/v1\/bulk|\$T/, 'is followed by test/http-story.long.test.ts'],
  [/print-document/, 'needs the tasks of examples/'],
];

/** Names that a document makes up, and what there is in their place. */
const STANDS_FOR: readonly [RegExp, string][] = [
  [/backfill NAME/, 'backfill backup'],
  [/explain billing/, 'explain hello'],
  [/what-if report/, 'what-if hello'],
  [/--task (?:nightly|rotate-logs)$/, '--task hello'],
];

export interface Line {
  place: string;
  /** As a shell is given it. */
  command: string;
  /** Undefined: it is carried out. */
  leftOut: string | undefined;
}

/** Each line that a document says to type. */
export function allLines(): Line[] {
  const lines = allBlocks().flatMap((block) => typedLines(block).map((line) => lineOf(block, line)));
  const firsts = new Map(lines.toReversed().map((line) => [line.command, line]));
  return lines.map((line) =>
    firsts.get(line.command) === line ? line : { ...line, leftOut: line.leftOut ?? 'the same as in another block' },
  );
}

function lineOf(block: Block, line: string): Line {
  const place = placeOf(block);
  const command = STANDS_FOR.reduce(
    (text, [from, to]) => text.replace(from, to),
    line.replace(/\s+# .*$/, '').replace(/^npx /, ''),
  );
  const [, leftOut] = LEFT_OUT.find(([pattern]) => pattern.test(`${place}: ${line}`)) ?? [];
  return { place, command, leftOut };
}

/** How many lines are carried out, and why the others are not. */
export function accountOf(lines: readonly Line[]): string {
  const reasons = groupedBy(lines, ({ leftOut = 'carried out on this fleet' }) => leftOut);
  return [...reasons].map(([reason, { length }]) => `${String(length).padStart(4)}  ${reason}`).join('\n');
}

/** Writes what a reader has in the folder: files of which the documents show what is in them. */
export function writeFiles(folder: string): void {
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
  const [, crontab = ''] = /^\$ cat shop\.cron\n([\s\S]*?)\n\n\$/.exec(textOf('README.md', 'cat shop.cron')) ?? [];
  write('shop.cron', `${crontab}\n`);
  // There is a task of that name, which the command line has made.
  write(
    'tasks.yaml',
    textOf('docs/reference/cli.md', '# yaml-language-server').replace('name: backup', 'name: nightly-dump'),
  );
  write('tasks/count-tmp.ts', textOf('README.md', "name: 'count-tmp'"));
}

function textOf(file: string, words: string): string {
  const block = allBlocks().find((one) => one.file === file && one.text.includes(words));
  if (block === undefined) throw new Error(`${file} has no block with ${words}`);
  return block.text;
}

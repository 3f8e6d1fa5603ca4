// Writes packages/formats/test/corpora/on-calendar.json: what `systemd-analyze calendar` says of the expressions below, for tests on
// machines without it.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const FROM = '2026-01-01 00:00:00';
const FIRES = 6;
const TARGET = 'packages/formats/test/corpora/on-calendar.json';

const EXPRESSIONS = `
minutely|hourly|daily|weekly|monthly|quarterly|semiannually|semi-annually|biannually|yearly|annually|DAILY|daily UTC|weekly Asia/Tokyo
Mon..Fri 10:00|Mon-Fri 8:00|Sat,Sun|Mon,|Sunday,monday 5:00|Mon..Wed,Fri 1:2:3 UTC|Mon-Wed,Fri..Sun|Mon..Sun 5:00|Mon UTC|Mon,Sun 12-*-* 2,1:23
*-*-*|*-* 5:00|Mon *-* 5:00|03-05|1-1|1,2,3-1|99-1-1|69-1-1|2027-3-5|2026,2028-02-29 4:00|2027..2029-1/3-1 0:0|2026/2-06-15|Mon 2026-06-15
*:0/2|*:0..30/10|*:5,0/30|*:0/59|*:*:00/30|*:*:*|*:*|*-*-* *:*:00|00/6:00|0..23/5:7|12,14,13:20,10,30|9..17:0/15|10-15|2:3:4|*:*:4..56/9|0..22/8:00|*:7..50/6|1..22/7:30|11:12:13,17
*-*-1/7 4:00|*-*-29/2|*-*-31 UTC|*-*-1..31/31|*-1..12/2-1|*-1/3-1 0:0|*-*-01..07 9:00|Wed *-*-1..7 9:00|Sat,Thu,Mon..Wed,Sat..Sun|*-02-29|*-2,4-30,31
*-*~1|*-02~03|Mon *-05~07/1|*-*~1..7|*-*~5,2|*-*~10/3|*-*~3/2|*-*~4/2|*-*~1..7/2|*-*~10..20/5|*-*~1..8/3|Fri *-*~7/1 18:00|*-*~31|*-02~29
05:40 Europe/Berlin|Mon 05:40:30 America/New_York|5:00 Etc/GMT+5|*-*-15 23:30 Pacific/Auckland|*-11~1 12:00 Asia/Kolkata
*/2:00|*:20..10|Fri..Mon|*-*~7..1|0..59/7:00|*-*~1/1|*-*~20..10/5|UTC|*-*-* 5|5|Mon 5|2200-1-1|*:1/59|0:0:0/60|*-*-*,5|2026-1|1:2:|3000-1-1|*-*~32
*-*~0|*-*-0|*:0/2/2|Mon,,Tue|24:00|*:60|13-1|noon|Mon Tue 5:00|5:00 Nowhere/City|1:2:3:4|*:0/0|
`;

/** @param {string} expression */
function recordOf(expression) {
  const { stdout, status } = spawnSync(
    'systemd-analyze',
    ['calendar', `--base-time=${FROM}`, `--iterations=${FIRES}`, expression],
    { encoding: 'utf8', env: { TZ: 'UTC', LC_ALL: 'C', PATH: process.env.PATH } },
  );
  if (status !== 0) return { expression, refused: true };
  return { expression, fires: firesIn(stdout) };
}

/** The machine's zone is UTC, so all fires are told in it. @param {string} output */
function firesIn(output) {
  return [...output.matchAll(/(?:Next elapse|Iter\. #\d+): \w+ (\S+) (\S+) UTC$/gm)].map(
    ([, day, time]) => `${day}T${time}Z`,
  );
}

const expressions = EXPRESSIONS.trim().split(/[|\n]/).filter(Boolean);
const version = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' }).stdout.split('\n')[0];
const cases = expressions.map(recordOf);
writeFileSync(
  TARGET,
  `${JSON.stringify({ recordedBy: version, from: `${FROM.replace(' ', 'T')}Z`, cases }, null, 1)}\n`,
);

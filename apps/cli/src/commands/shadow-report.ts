import type { AnswerOf } from '@escapement/api/calls';
import type { getShadow } from '@escapement/api/routes';
import { formatSpan, inUtc } from '@escapement/core';
import type { Output } from '../output/print.ts';
import { tableLines } from '../output/table.ts';

type Shadowed = AnswerOf<typeof getShadow>['items'][number];

/** Differences of a line and kind that are shown, the last ones. */
const SHOWN = 5;

/** A line for each line of the crontabs, then what differs. */
export function showShadow(items: readonly Shadowed[], output: Output): void {
  output.result(items, () =>
    items.length === 0
      ? []
      : [...table(items, output.width), ...items.flatMap(cutoverOf), ...items.flatMap(differencesOf)],
  );
  if (items.length === 0)
    output.note('no task is in the shadow of cron: `escapement import crontab FILE --shadow --write`');
  const silent = items.filter(({ state }) => state === 'silent').length;
  if (silent > 0)
    output.note(
      `${silent} of ${items.length} lines were told of by no host in that time: \`escapement shadow patch\` on the host, and a way from there to here`,
    );
}

/** What waits, what is still to come, and where a person had said something else than the host. */
function cutoverOf({ id, task, side, cutover }: Shadowed): string[] {
  if (cutover === null) return [];
  return [`${task} (line ${id}): ${cutoverWords(cutover, side)}`];
}

function cutoverWords(
  { host, to, at, state, settled, settledBy, answer }: NonNullable<Shadowed['cutover']>,
  side: Shadowed['side'],
): string {
  const what = `the cut-over to ${to} at ${inUtc(at)}`;
  const waits = side === 'unknown' ? 'what is due is held until then' : 'nothing is held yet';
  if (state === 'proposed') return `waits until ${host} answers ${what}; ${waits}`;
  if (answer === null) return `${host} has not answered ${what}: ${settledBy} has settled it as ${settled}`;
  if (settled !== null && settled !== answer)
    return `${host} has ${answer} ${what}, and ${settledBy} had settled it as ${settled}: look at what ran, and what did not`;
  if (state === 'taken') return `${host} has taken ${what}`;
  return `${host} has refused ${what}: it heard of it too late, its clock differs from that of the server, or a person took it back`;
}

function table(items: readonly Shadowed[], width: number | undefined): string[] {
  return tableLines(
    items,
    [
      { title: 'LINE', value: ({ id }) => id },
      { title: 'TASK', value: ({ task }) => task },
      { title: 'STATE', value: ({ state }) => state },
      { title: 'RUN BY', value: ({ side }) => side },
      { title: 'AGREED', value: ({ agreed }) => String(agreed), align: 'right' },
      { title: 'ONLY CRON', value: ({ onlyCron }) => String(onlyCron), align: 'right' },
      { title: 'ONLY HERE', value: ({ onlyHere }) => String(onlyHere), align: 'right' },
      { title: 'OFF BY', value: ({ offByMs }) => spanOf(offByMs), align: 'right' },
      { title: 'TOOK', value: ({ tookMs }) => spanOf(tookMs), align: 'right' },
      {
        title: 'EXITS',
        value: ({ exits }) => exits.map(({ exit, count: times }) => `${exit} (${times})`).join(', ') || '-',
      },
      { title: 'HOST', value: ({ hosts }) => hosts.join(', ') || '-', wraps: true },
    ],
    width,
  );
}

/** In the middle, and at most. */
function spanOf(span: Shadowed['offByMs']): string {
  return span === null
    ? '-'
    : span.middle === span.most
      ? formatSpan(span.most)
      : `${formatSpan(span.middle)} to ${formatSpan(span.most)}`;
}

function differencesOf({ id, task, differences, onlyCron, onlyHere }: Shadowed): string[] {
  const left = onlyCron + onlyHere - SHOWN;
  if (differences.length === 0) return [];
  return [
    '',
    `${task} (line ${id})`,
    ...(left > 0
      ? [`    ${left} before these: \`--since\`, or \`--output json\` for the last ${differences.length}`]
      : []),
    ...differences
      .slice(-SHOWN)
      .map(
        ({ at, kind, cause, words }) =>
          `    ${inUtc(at)} ${kind.replace('-', ' ')}, ${cause === null ? 'not explained' : 'explained'}: ${words}`,
      ),
  ];
}

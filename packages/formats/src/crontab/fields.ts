import { nearest } from '@escapement/core';

export type SplitSchedule = { ok: true; schedule: string; rest: string } | { ok: false; reason: string };

const MACROS = ['yearly', 'annually', 'monthly', 'weekly', 'daily', 'midnight', 'hourly', 'reboot'] as const;

/** FreeBSD's own, and that of programs which read crontabs; no cron has a macro of its own for it. */
const EVERY_MINUTE = new Set(['every_minute', 'minutely']);

/** Takes the schedule off the front of a line: five fields, or a macro. Whether the fields make sense is not checked here. */
export function splitSchedule(line: string): SplitSchedule {
  if (line.startsWith('@')) return splitMacro(line);
  if (!/^[\d*,~-]/.test(line)) return { ok: false, reason: neither(line) };
  const match = /^((?:[^ \t]+[ \t]+){4}[^ \t]+)(?:[ \t]+(.*))?$/s.exec(line);
  if (!match) return { ok: false, reason: tooShort(line) };
  const [, fields = '', rest = ''] = match;
  return { ok: true, schedule: fields.split(/[ \t]+/).join(' '), rest };
}

function splitMacro(line: string): SplitSchedule {
  const [, word = '', rest = ''] = /^@([^ \t]*)[ \t]*(.*)$/s.exec(line) ?? [];
  if (MACROS.some((macro) => macro === word)) return { ok: true, schedule: `@${word}`, rest };
  if (EVERY_MINUTE.has(word)) return { ok: true, schedule: '* * * * *', rest };
  const meant = nearest(word, MACROS);
  const advice = meant ? `did you mean @${meant}?` : `a crontab knows ${MACROS.map((macro) => `@${macro}`).join(', ')}`;
  return { ok: false, reason: `"@${word}" is not a macro: ${advice}` };
}

function neither(line: string): string {
  const [word = ''] = line.split(/[ \t]/);
  return `neither NAME=value nor a schedule: it begins with "${word.slice(0, 40)}", where a minute or a macro such as @daily is needed`;
}

function tooShort(line: string): string {
  const count = line.trim().split(/[ \t]+/).length;
  return `${count} ${count === 1 ? 'word' : 'words'}: a line needs five fields (minute, hour, day of month, month, day of week) and a command`;
}

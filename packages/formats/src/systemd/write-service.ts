import { handlerFacts, type ShellHandler, type TaskDefinition } from '@escapement/core';
import { cannotSay } from '../translated/translated.ts';
import { quotedWord } from './exec-words.ts';
import { spanText } from './time-span.ts';

/** The lines of the `[Service]` section. `user`: of tasks that name none. Throws `cannot_say`. */
export function serviceLines(task: TaskDefinition, user: string | undefined): string[] {
  const { shell: handler } = handlerFacts(task.handler);
  if (!handler) throw cannotSay(`it is of type ${task.handler.type}`, 'a service runs a command');
  if (handler.stdin !== undefined) throw cannotSay('it has standard input', 'put it into the command');
  const who = handler.user ?? user;
  if (who === undefined)
    throw cannotSay('it names no user, and as a service it would be root', 'give --user NAME for such tasks');
  return [
    'Type=oneshot',
    `User=${plain(who)}`,
    `WorkingDirectory=${handler.cwd === undefined ? '~' : plain(handler.cwd)}`,
    ...environmentLines(handler),
    `ExecStart=${execLine(handler)}`,
    `TimeoutStartSec=${spanText(task.timeoutMs)}`,
  ];
}

function environmentLines({ env = {} }: ShellHandler): string[] {
  return Object.entries(env).map(([name, value]) => {
    if (typeof value !== 'string')
      throw cannotSay(
        `its variable ${name} is a secret of the worker`,
        'write it into a file that only its user reads, and name that in EnvironmentFile=',
      );
    return `Environment=${quotedWord(`${name}=${value}`)}`;
  });
}

function execLine({ argv, command, shell = '/bin/sh' }: ShellHandler): string {
  const words = argv ?? [shell, '-c', command ?? ''];
  const [program = ''] = words;
  if (/^[-@:+!|]/.test(program))
    throw cannotSay(`its program is "${program}"`, 'systemd reads such signs otherwise: name it by its path');
  return words.map((word) => quotedWord(word.replaceAll('$', '$$$$'))).join(' ');
}

/** A value that systemd reads without quotes, with its specifiers. */
function plain(text: string): string {
  if (/[\p{Cc}\u2028\u2029]/u.test(text) || text !== text.trim() || text.endsWith('\\'))
    throw cannotSay(`${JSON.stringify(text)} is no value of a unit`, 'leave out line breaks, and blanks at its ends');
  return text.replaceAll('%', '%%');
}

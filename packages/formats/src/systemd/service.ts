import { DAY, type TaskInput } from '@escapement/core';
import { cannotSay } from '../translated/translated.ts';
import { readCommand } from './command.ts';
import { wordsOf } from './exec-words.ts';
import { type UnitName, withoutSpecifiers } from './specifiers.ts';
import { readSpan } from './time-span.ts';
import type { Unit } from './unit-file.ts';

type ShellInput = Extract<TaskInput['handler'], { type: 'shell' }>;

/** What a service does, and under which rules. */
export interface Service {
  said: { handler: ShellInput; timeoutMs?: number; retry?: NonNullable<TaskInput['retry']> };
  /** Of a new task, because the unit says nothing of it. */
  atFirst: { timeoutMs?: number };
  lost: string[];
}

/** systemd has no limit for a oneshot. A day lets any nightly job end, and yet a hung one does not hold its key for ever. */
const TIME_LIMIT_MS = DAY;
const LONGEST_LIMIT_MS = 30 * DAY;
const LONGEST_DELAY_MS = 7 * DAY;

/** Reads the `[Service]` section. Throws `cannot_say`. */
export function readService(unit: Unit, name: UnitName): Service {
  const lost: string[] = [];
  const type = unit.last('Service', 'Type') ?? 'simple';
  if (type === 'forking')
    throw cannotSay(
      `${name.full} is of the type forking`,
      'a run ends when its command ends: start the program in the foreground',
    );
  if (unit.flag('Service', 'RemainAfterExit'))
    lost.push('RemainAfterExit: it runs each time that it is due; a service that stays active would be started once');
  const handler: ShellInput = {
    type: 'shell',
    ...readCommand(unit, name, lost),
    ...environmentOf(unit, name),
    cwd: withoutSpecifiers(unit.last('Service', 'WorkingDirectory') ?? '/', name).replace(/^-/, ''),
    ...userOf(unit, name, lost),
  };
  if (handler.cwd === '~') delete handler.cwd;
  const timeoutMs = limitOf(unit, type);
  const retry = retryOf(unit, lost);
  return {
    said: { handler, ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(retry ? { retry } : {}) },
    atFirst: timeoutMs === undefined ? { timeoutMs: TIME_LIMIT_MS } : {},
    lost,
  };
}

const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s;

function environmentOf(unit: Unit, name: UnitName): { env?: Record<string, string> } {
  const env: Record<string, string> = {};
  for (const text of unit.all('Service', 'Environment'))
    for (const word of wordsOf(text)) {
      const [, variable, value = ''] = VARIABLE.exec(word) ?? [];
      if (variable === undefined)
        throw cannotSay(`Environment=${text} has "${word}", which is no NAME=value`, 'correct it in the unit');
      env[variable] = withoutSpecifiers(value, name);
    }
  return Object.keys(env).length > 0 ? { env } : {};
}

/** A system's service runs as root unless it says otherwise. Who shall, is said: nobody becomes root by default. */
function userOf(unit: Unit, name: UnitName, lost: string[]): { user?: string } {
  const user = unit.last('Service', 'User');
  if (unit.flag('Service', 'DynamicUser')) lost.push('DynamicUser: it runs as the user of the worker');
  else if (user === undefined)
    lost.push("no User=: as the system's service it would be root; here it runs as the user of the worker");
  return user === undefined || user === '' ? {} : { user: withoutSpecifiers(user, name) };
}

/** Undefined: the unit sets none. */
function limitOf(unit: Unit, type: string): number | undefined {
  const key = type === 'oneshot' ? ['TimeoutStartSec', 'TimeoutSec'] : ['RuntimeMaxSec'];
  const found = key.flatMap((each) => {
    const text = unit.last('Service', each);
    return text === undefined ? [] : [{ each, text }];
  })[0];
  if (!found) return undefined;
  const ms = readSpan(found.each, found.text);
  return ms === 0 ? LONGEST_LIMIT_MS : Math.min(LONGEST_LIMIT_MS, Math.max(100, ms));
}

const DEFAULT_BURST = 5;
const DEFAULT_RESTART_MS = 100;

/** `Restart=` tries again at once, after RestartSec=, and gives up at StartLimitBurst=. */
function retryOf(unit: Unit, lost: string[]): NonNullable<TaskInput['retry']> | undefined {
  const restart = unit.last('Service', 'Restart') ?? 'no';
  if (restart === 'no') return undefined;
  if (restart === 'always' || restart === 'on-success') {
    lost.push(`Restart=${restart}: a run that has succeeded is not started again`);
    if (restart === 'on-success') return undefined;
  }
  const burst = unit.last('Unit', 'StartLimitBurst');
  const delay = unit.last('Service', 'RestartSec');
  const maxAttempts = burst === undefined ? DEFAULT_BURST : Number(burst);
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1 || maxAttempts > 1000)
    throw cannotSay(`StartLimitBurst=${burst} is no number of attempts`, 'give 1 to 1000');
  const delayMs = Math.min(LONGEST_DELAY_MS, delay === undefined ? DEFAULT_RESTART_MS : readSpan('RestartSec', delay));
  return { maxAttempts, backoff: { kind: 'fixed', delayMs } };
}

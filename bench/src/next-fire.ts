import { nextFire, parseSchedule } from '@escapement/core/schedule';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import { measureMemory } from './schedule-memory.ts';
import type { Figures } from './targets.ts';

const FROM = new Date('2026-01-01T00:00:00Z');
const UNTIL = Date.parse('2126-01-01T00:00:00Z');
const ZONE = 'America/New_York';
const MEASURE_MS = 700;

/** What each target of the project asks for, in calls a second on one core. */
const CASES: readonly { expression: string; target: number }[] = [
  { expression: '*/5 * * * *', target: 1_000_000 },
  { expression: '0 9 * * 1-5', target: 1_000_000 },
  { expression: '30 2 * * *', target: 1_000_000 },
  { expression: '0 0 29 2 *', target: 100_000 },
  { expression: '0 0 29 2 1#5', target: 100_000 },
  { expression: '0 0 LW 2 5L', target: 100_000 },
];

/** Rules that have to look far, or at many days; each is asked for at least so many a second. */
const RULES: readonly string[] = [
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
  'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
  'FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO',
  'FREQ=YEARLY;BYYEARDAY=366',
];
const RULE_TARGET = 100_000;

/** One step: the fire after an instant. Each library walks on from its own last answer. */
type Step = (after: Date) => Date | null;

/** `npm run bench -- next-fire`: how many next fires a second, beside cron-parser and croner, and what parsed schedules weigh. */
export async function run(_args: string[]): Promise<Figures> {
  console.log(`next fires a second in ${ZONE}, one core, each after the last\n`);
  console.log(row(['expression', 'escapement', 'target', 'cron-parser', 'ratio', 'croner', 'ratio']));
  for (const { expression, target } of CASES) {
    const ours = rate(escapement(expression));
    const others = [cronParser(expression), croner(expression)].map((step) => (step ? rate(step) : undefined));
    const beside = others.flatMap((other) => (other ? [count(other), `${(ours / other).toFixed(0)}x`] : ['-', '-']));
    console.log(row([expression, count(ours), `${count(target)} ${ours >= target ? 'met' : 'MISSED'}`, ...beside]));
  }
  for (const rule of RULES) {
    const ours = rate(recurrence(rule));
    console.log(row([rule, count(ours), `${count(RULE_TARGET)} ${ours >= RULE_TARGET ? 'met' : 'MISSED'}`]));
  }
  measureMemory();
  return {};
}

function recurrence(rule: string): Step {
  const schedule = parseSchedule({ kind: 'rrule', rule, dtStart: '2020-01-01T09:00:00', timeZone: ZONE });
  return (after) => nextFire(schedule, after);
}

function escapement(expression: string): Step {
  const schedule = parseSchedule({ kind: 'cron', expression, timeZone: ZONE });
  return (after) => nextFire(schedule, after);
}

/** cron-parser keeps its own place; it is set back only when it has run past the last year. */
function cronParser(expression: string): Step | undefined {
  try {
    const parsed = CronExpressionParser.parse(expression, { tz: ZONE, currentDate: FROM });
    return (after) => {
      if (after === FROM) parsed.reset(FROM);
      return parsed.next().toDate();
    };
  } catch {
    return undefined;
  }
}

function croner(expression: string): Step | undefined {
  try {
    const parsed = new Cron(expression, { timezone: ZONE, paused: true });
    return (after) => parsed.nextRun(after);
  } catch {
    return undefined;
  }
}

/** Calls a second, after a warm-up of a seventh of the time. */
function rate(step: Step): number {
  walk(step, MEASURE_MS / 7);
  const started = performance.now();
  const calls = walk(step, MEASURE_MS);
  return (calls / (performance.now() - started)) * 1000;
}

function walk(step: Step, forMs: number): number {
  const end = performance.now() + forMs;
  let after = FROM;
  let calls = 0;
  // The clock is looked at every hundredth call: it would cost more than a call.
  while (calls % 100 !== 0 || performance.now() < end) {
    const fire = step(after);
    after = fire && fire.getTime() < UNTIL ? fire : FROM;
    calls++;
  }
  return calls;
}

const count = (value: number): string => Math.round(value).toLocaleString('en-US');

function row(cells: readonly string[]): string {
  const [first = '', ...rest] = cells;
  return first.padEnd(46) + rest.map((cell) => cell.padStart(18)).join('');
}

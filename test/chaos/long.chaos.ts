import { MINUTE, type Random, SECOND, seededRandom, systemClock } from '@escapement/core';
import { beforeAll, expect, test } from 'vitest';
import { checkAll, firstViolations, formatReport, INVARIANTS, type Verdict } from './checker/index.ts';
import { recoveryTable } from './checker/recovery-table.ts';
import { faultLine } from './checker/report.ts';
import { ALL_FAULTS, type Fault, SMALL_MAX_BLOCK } from './faults/index.ts';
import { chaosOptions } from './options.ts';
import { runScenario } from './scenario.ts';

const options = chaosOptions();
const chosen = options.faults.length > 0 ? options.faults.map(faultNamed) : ALL_FAULTS;
const SLOWEST_FAULT_MS = 15 * MINUTE;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function faultNamed(name: string): Fault {
  const found = ALL_FAULTS.find((fault) => fault.name === name);
  if (!found) throw new Error(`there is no fault "${name}"; npm run chaos -- --list prints them`);
  return found;
}

/** In rounds, each in an order of its own; at least one, and until the time is over. */
function* rounds(faults: readonly Fault[], random: Random): Generator<Fault> {
  const endMs = systemClock.monotonicMs() + options.minutes * MINUTE;
  do {
    for (const fault of random.shuffle(faults)) {
      yield fault;
      if (options.minutes > 0 && systemClock.monotonicMs() > endMs) return;
    }
  } while (systemClock.monotonicMs() < endMs);
}

function isAvailable({ name, unavailable }: Fault): boolean {
  const why = unavailable?.();
  if (why !== undefined) say(`left out: ${name}: ${why}`);
  return why === undefined;
}

/** A fleet under the chosen faults, and what the invariants say of it. */
async function judgeFleet(): Promise<Verdict[]> {
  say(`seed ${options.seed}`);
  const evidence = await runScenario({
    schedulers: 3,
    workers: 3,
    leaseMs: 10 * SECOND,
    seed: options.seed,
    size: options.size,
    patches: options.size === 'small' ? [SMALL_MAX_BLOCK] : [],
    faults: rounds(chosen.filter(isAvailable), seededRandom(options.seed)),
    // Longer than a start may take, so that runs between faults are judged without any excuse.
    gapMs: 6 * SECOND,
    calmMs: 10 * SECOND,
    onFault: (window) => say(faultLine(window).join('  ')),
  });
  const verdicts = checkAll(evidence);
  say(formatReport(evidence, verdicts));
  say(recoveryTable(evidence));
  say(`to repeat it: npm run chaos -- --seed ${options.seed} --minutes ${options.minutes}`);
  return verdicts;
}

if (options.list) {
  test('the faults', () => say(ALL_FAULTS.map(({ name, title }) => `${name.padEnd(56)} ${title}`).join('\n')));
} else {
  let verdicts: Verdict[] = [];
  beforeAll(
    async () => {
      verdicts = await judgeFleet();
    },
    options.minutes * MINUTE + 4 * SLOWEST_FAULT_MS,
  );
  test.each(INVARIANTS)('$id: $title', (invariant) => {
    expect(firstViolations(verdicts, invariant)).toEqual([]);
  });
}

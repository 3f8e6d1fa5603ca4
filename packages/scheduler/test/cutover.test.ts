import { heldTasks } from '@escapement/store';
import { testFleet } from '@escapement/testkit/fleet';
import { describe, expect, it } from 'vitest';
import { type Link, lineOfCron } from './line-of-cron.ts';

const fleet = await testFleet();

/** A line of which its host has told: cron runs it. */
async function known() {
  const line = await lineOfCron(fleet);
  await line.pass(3);
  await line.plan();
  await line.talk();
  return line;
}

type Line = Awaited<ReturnType<typeof known>>;

/** A line that the fleet has. */
async function ofFleet() {
  const line = await known();
  await line.ask('fleet');
  await line.talk();
  await line.pass(4);
  await line.plan();
  await line.talk();
  return line;
}

const runBy = async (line: Line) => {
  expect(await line.gaps()).toEqual([]);
  return (await line.whoRan()).join('').replace(/(.)\1*/g, '$1');
};

const PRESENT = { fleet: ['known', known, 'cf', 'c'], cron: ['of fleet', ofFleet, 'cfc', 'cf'] } as const;

describe.each(['fleet', 'cron'] as const)('a cut-over to %s', (to) => {
  const [, start, changed, stays] = PRESENT[to];

  it('that its host has taken in time is one at the instant, after two more fires', async () => {
    const line = await start();
    const { items } = await line.ask(to);
    expect(items[0]).toMatchObject({ host: 'web1', to });
    await line.talk();
    expect(await line.cutover()).toMatchObject({ state: 'taken', answer: 'taken' });
    await line.pass(1);
    await line.plan();
    expect(await runBy(line)).toBe(stays);
    await line.pass(4);
    await line.plan();
    expect(await runBy(line)).toBe(changed);
  });

  it('of which its host hears after the instant is refused, and what was held is with the side that had it', async () => {
    const line = await start();
    await line.ask(to);
    await line.pass(6);
    await line.plan();
    expect((await line.rows()).filter(({ state }) => state === 'held').length).toBeGreaterThanOrEqual(2);
    await line.talk();
    expect(await line.cutover()).toMatchObject({ state: 'refused' });
    await line.pass(1);
    await line.plan();
    expect(await runBy(line)).toBe(stays);
  });

  it('whose answer is lost is told again; what was held until then is with the side that has it', async () => {
    const line = await start();
    await line.ask(to);
    await line.talk('up', 'down');
    await line.pass(6);
    await line.plan();
    expect(
      (await line.rows()).some(({ state, reason }) => state === 'held' && reason?.includes('web1 has not answered')),
    ).toBe(true);
    await line.talk();
    expect(await line.cutover()).toMatchObject({ state: 'taken' });
    expect(await runBy(line)).toBe(changed);
  });

  it('whose answer the server has heard, and the host does not know of that, is answered the same again', async () => {
    const line = await start();
    await line.ask(to);
    await line.talk('up', 'no-answer');
    await line.pass(5);
    await line.talk();
    await line.plan();
    expect(await runBy(line)).toBe(changed);
  });

  it('holds though the server is away over the instant, and long after', async () => {
    const line = await start();
    await line.ask(to);
    await line.talk('up', 'down');
    await line.pass(20);
    await line.talk();
    await line.plan();
    expect(await runBy(line)).toBe(changed);
  });

  it.each([
    ['taken', 'down'],
    ['refused', 'up'],
  ] as const)('of a host that never answers is what a person says: %s', async (answer, second) => {
    const line = await start();
    await line.ask(to);
    if (answer === 'taken') await line.talk('up', second);
    await line.pass(6);
    await line.plan();
    await line.settle(answer);
    await line.pass(2);
    await line.plan();
    expect(await runBy(line)).toBe(answer === 'taken' ? changed : stays);
    await expect(line.settle(answer)).rejects.toThrow('no cut-over that waits');
  });

  it('that a person has taken back before the host has heard of it is refused by the host', async () => {
    const line = await start();
    await line.ask(to);
    await line.settle('refused');
    await line.talk();
    expect(line.host.answers.at(-1)).toMatchObject({ answer: 'refused' });
    await line.pass(5);
    await line.plan();
    expect(await runBy(line)).toBe(stays);
  });
});

it('what the host says counts more than what a person has said, from then on', async () => {
  const line = await known();
  await line.ask('fleet');
  await line.talk('up', 'down');
  await line.settle('refused');
  await line.pass(5);
  await line.plan();
  await line.talk();
  expect(await line.cutover()).toMatchObject({ state: 'taken', settled: 'refused', answer: 'taken' });
  await line.pass(2);
  await line.plan();
  expect((await line.whoRan()).slice(-2)).toEqual(['f', 'f']);
});

it('what is held for a later cut-over waits for the answer to that one', async () => {
  const line = await known();
  await line.ask('fleet');
  await line.settle('refused');
  await line.ask('fleet');
  await line.pass(6);
  await line.plan();
  // Both are asked of the host; the answer to the second is lost.
  const second = (await line.cutover())?.id;
  await line.talk('up', (answer) => answer.id !== second);
  expect(await line.cutover()).toMatchObject({ state: 'proposed' });
  expect((await line.rows()).some(({ state }) => state === 'held')).toBe(true);
  await line.talk();
  expect(await runBy(line)).toBe('c');
});

it('what is held for a cut-over is for nobody to let go, and its task stays of its line', async () => {
  const line = await known();
  await line.ask('fleet');
  await line.pass(6);
  await line.plan();
  expect((await heldTasks(fleet.db)).filter(({ task }) => task === line.name)).toEqual([]);
  await expect(fleet.save({ name: line.name })).rejects.toThrow('cannot leave its line now');
  await expect(line.ask('cron')).rejects.toThrow('has a cut-over already');
});

it('a task that runs in place of a line does not become that of another line, but may leave it', async () => {
  const line = await ofFleet();
  const other = { name: line.name, shadow: { line: 'fedcba987654' } };
  await expect(fleet.save(other)).rejects.toThrow('it cannot become line fedcba987654');
  await fleet.save({ name: line.name });
});

/** A sequence of numbers that look like chance. */
function chance(seed: number) {
  let state = seed;
  return (most: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
}

it.each(Array.from({ length: 25 }, (_, seed) => seed))(
  'whatever is away, each fire is run by one side (order %i)',
  async (seed) => {
    const next = chance(seed + 1);
    const link = (): Link => (['up', 'up', 'down', 'no-answer'] as const)[next(4)] ?? 'up';
    const line = await known();
    const actions: (() => Promise<unknown>)[] = [
      () => line.pass(1 + next(3)),
      () => line.pass(1),
      () => line.plan(),
      () => line.talk(link(), link()),
      () => line.talk(link(), link()),
      () => line.ask(next(2) === 0 ? 'fleet' : 'cron').catch(() => undefined),
      () => Promise.all([line.plan(), line.talk(link(), link()), line.plan()]),
      () => Promise.all([line.plan(), line.ask(next(2) === 0 ? 'fleet' : 'cron').catch(() => undefined)]),
      async () => {
        // A person who knows: what the host has taken, or that it never heard of it.
        const open = await line.cutover();
        if (open?.state === 'proposed' && next(3) === 0)
          await line.settle(line.host.answers.find(({ id }) => id === open.id)?.answer ?? 'refused');
      },
    ];
    for (let step = 0; step < 25; step++) await actions[next(actions.length)]?.();
    await line.pass(1);
    await line.talk();
    await line.pass(6);
    await line.talk();
    await line.plan();
    await line.plan();
    expect(await line.gaps()).toEqual([]);
    expect(new Set(await line.whoRan())).toEqual(
      new Set((await line.whoRan()).map((who) => (who === 'c' || who === 'f' ? who : 'c or f'))),
    );
  },
);

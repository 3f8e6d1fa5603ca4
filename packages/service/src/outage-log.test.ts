import { expect, test } from 'vitest';
import { createManualTimer } from '../test/manual-timer.ts';
import { createMemoryLog } from '../test/memory-log.ts';
import { createOutageLog } from './outage-log.ts';

const gone = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

function setUp() {
  const timer = createManualTimer();
  const { log, lines } = createMemoryLog({ clock: timer.clock, timer });
  const outages = createOutageLog({ log, clock: timer.clock, timer });
  const server = { up: true };
  outages.watch({
    name: 'Postgres',
    suspects: (error) => error instanceof Error && 'code' in error,
    ask: async () => {
      if (!server.up) throw gone();
    },
  });
  const meet = (component: string, err: unknown = gone()) => outages.log.warn({ component, err }, 'error');
  const written = () => lines.map(({ msg }) => msg);
  return { ...timer, server, meet, written, lines, outages };
}

const AWAY = 'Postgres does not answer: further errors of it are counted, and not written until it does';

test('an outage is one line when it begins and one when it ends', async () => {
  const { server, meet, written, advance, lines } = setUp();
  server.up = false;
  for (let second = 0; second < 900; second++) {
    meet('planner');
    meet('dispatcher');
    await advance(1000);
  }
  expect(written()).toEqual([AWAY]);
  server.up = true;
  await advance(1000);
  expect(written()).toEqual([AWAY, 'Postgres answers again after 15 min; 1,799 errors were not written']);
  expect(lines[0]).toMatchObject({ level: 'error', component: 'planner', err: { code: 'ECONNREFUSED' } });
  expect(lines[1]).toMatchObject({ awayMs: 901_000, notWritten: { dispatcher: 900, planner: 899 } });
});

test('an error of a server that answers is written as it is, and so is one of something else', async () => {
  const { server, meet, written, advance } = setUp();
  meet('planner');
  await advance(0);
  server.up = false;
  meet('planner', new Error('a mistake'));
  await advance(0);
  expect(written()).toEqual(['error', 'error']);
});

test('what fails late is one of the outage, yet not for ever', async () => {
  const { server, meet, written, advance } = setUp();
  server.up = false;
  meet('planner');
  await advance(500);
  server.up = true;
  for (let half = 0; half < 20; half++) {
    meet('late');
    await advance(500);
  }
  expect(written().slice(0, 2)).toEqual([AWAY, 'Postgres answers again after 1 s; 11 errors were not written']);
  expect(written().slice(2)).toEqual(Array(9).fill('error'));
});

test('an answer that was asked for before the error proves nothing', async () => {
  const { server, meet, written, advance } = setUp();
  meet('planner');
  server.up = false;
  meet('dispatcher');
  await advance(0);
  expect(written()).toEqual(['error', AWAY]);
});

test('a process that ends writes what it has held', async () => {
  const { server, meet, written, outages, advance } = setUp();
  server.up = false;
  meet('planner');
  outages.stop();
  meet('dispatcher');
  await advance(5000);
  expect(written()).toEqual(['error', 'error']);
});

test('a process that ends in an outage says how many errors it has not written', async () => {
  const { server, meet, written, outages, advance } = setUp();
  server.up = false;
  meet('planner');
  await advance(2000);
  meet('planner');
  await advance(0);
  outages.stop();
  expect(written()).toEqual([AWAY, 'Postgres still does not answer after 2 s; 1 error was not written']);
});

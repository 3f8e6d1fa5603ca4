import { expect, test } from 'vitest';
import { COMPANY_MS, createFinishCompany } from './finish-company.ts';

/** So many runs are under way. Its timer rings when the test says so. */
function setUp(underWay: number) {
  const gone: string[] = [];
  const timers: { ms: number; ring: () => void; cancelled: boolean }[] = [];
  const company = createFinishCompany({
    underWay: () => underWay,
    after(ms, ring) {
      const timer = { ms, ring, cancelled: false };
      timers.push(timer);
      return () => {
        timer.cancelled = true;
      };
    },
  });
  return {
    company,
    timers,
    gone,
    async wait(name: string) {
      void company.wait().then(() => gone.push(name));
      await Promise.resolve();
    },
  };
}

test('an end waits for others, and they go together', async () => {
  const { wait, gone, timers } = setUp(5);
  await wait('a');
  await wait('b');
  expect(gone).toEqual([]);
  expect(timers.map(({ ms }) => ms)).toEqual([COMPANY_MS]);
  timers[0]?.ring();
  await Promise.resolve();
  expect(gone).toEqual(['a', 'b']);
});

test('the next one after these waits for a time of its own', async () => {
  const { wait, gone, timers } = setUp(5);
  await wait('a');
  timers[0]?.ring();
  await wait('b');
  expect(gone).toEqual(['a']);
  expect(timers).toHaveLength(2);
});

test('a run that is alone does not wait', async () => {
  const { wait, gone, timers } = setUp(1);
  await wait('a');
  expect(gone).toEqual(['a']);
  expect(timers).toEqual([]);
});

test('the last that is under way takes the others along', async () => {
  const { wait, gone, timers } = setUp(2);
  await wait('a');
  await wait('b');
  expect(gone).toEqual(['a', 'b']);
  expect(timers).toMatchObject([{ cancelled: true }]);
});

test('an end that cannot wait takes along those that do', async () => {
  const { company, wait, gone, timers } = setUp(5);
  await wait('a');
  company.go();
  await Promise.resolve();
  expect(gone).toEqual(['a']);
  expect(timers).toMatchObject([{ cancelled: true }]);
});

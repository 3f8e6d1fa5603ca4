import { ManualClock } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { impatientOptions, patientOptions, reconnectForWrites } from './redis-options.ts';

test('it is tried again after 2 s at the latest', () => {
  const { retryStrategy, sentinelRetryStrategy } = patientOptions({ url: 'redis://example.org' });
  for (const times of [1, 2, 10, 1000, 1e9]) {
    expect(retryStrategy?.(times)).toBeLessThanOrEqual(2000);
    expect(sentinelRetryStrategy?.(times)).toBeLessThanOrEqual(2000);
  }
});

test('only those who want an answer now have a limit for each command', () => {
  const options = { url: 'redis://example.org', commandTimeoutMs: 700 };
  expect(impatientOptions(options)).toMatchObject({ commandTimeout: 700, maxRetriesPerRequest: 0, socketTimeout: 700 });
  expect(patientOptions(options)).toMatchObject({ maxRetriesPerRequest: null, socketTimeout: 700 });
  expect(patientOptions(options).commandTimeout).toBeUndefined();
});

test('the primary is looked for again when a server takes no writes, every 2 s at most', () => {
  const clock = new ManualClock();
  const reconnect = reconnectForWrites(clock);
  const readonly = new Error("READONLY You can't write against a read only replica.");
  expect(reconnect(new Error('OOM command not allowed'))).toBe(false);
  expect(reconnect(readonly)).toBe(true);
  expect(reconnect(readonly)).toBe(false);
  clock.advance(2000);
  expect(reconnect(new Error('NOREPLICAS Not enough good replicas to write.'))).toBe(true);
});

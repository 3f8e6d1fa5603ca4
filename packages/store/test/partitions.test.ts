import { DAY } from '@escapement/core';
import { afterFile, testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { ensurePartitions, openDatabase } from '../src/index.ts';

const { url } = await testDatabase();
const databases = Array.from({ length: 4 }, () => openDatabase({ url, applicationName: 'test' }));
afterFile(() => Promise.all(databases.map((db) => db.close())));

test('schedulers that start at the same moment make each partition once', async () => {
  for (let week = 0; week < 20; week++) {
    const now = new Date(Date.UTC(2030, 0, 3) + week * 28 * DAY);
    const made = (await Promise.all(databases.map((db) => ensurePartitions(db, now, 21)))).flat();
    expect(made.length).toBeGreaterThan(20);
    expect(new Set(made).size).toBe(made.length);
  }
});

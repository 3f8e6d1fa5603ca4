import { expect, test } from 'vitest';
import { isAlive } from '../src/process-info.ts';
import { dataFolder, readNote, sql, startOwner } from './owner.ts';

test('two that start at once on one folder share its servers, and only the owner ends them', async () => {
  const dataDir = await dataFolder();
  const [one, other] = await Promise.all([startOwner({ dataDir }), startOwner({ dataDir })]);
  expect([one.how.postgres, other.how.postgres].sort()).toEqual(['embedded', 'shared']);
  expect([one.how.redis, other.how.redis].sort()).toEqual(['embedded', 'shared']);
  expect(one.databaseUrl).toBe(other.databaseUrl);
  const guest = one.how.postgres === 'shared' ? one : other;
  const owner = guest === one ? other : one;
  const { serverPid } = await readNote(dataDir, 'postgres');
  await guest.process.terminate();
  expect(await sql(owner.databaseUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await owner.process.terminate();
  expect(isAlive(serverPid)).toBe(false);
});

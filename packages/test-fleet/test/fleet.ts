import { testRedis, testServers } from '@escapement/testkit';
import { afterAll } from 'vitest';
import { startTestFleet, type TestFleet, type TestFleetOptions } from '../src/index.ts';

/** A fleet for the calling file, on the servers of the test run. */
export async function testFleet(options: TestFleetOptions): Promise<TestFleet> {
  const { postgresUrl } = testServers();
  const { url } = await testRedis();
  const fleet = await startTestFleet({ databaseUrl: postgresUrl, redisUrl: url, ...options });
  afterAll(() => fleet.stop());
  return fleet;
}

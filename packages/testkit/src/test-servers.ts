import { inject } from 'vitest';

/** What the global set-up hands to the test files. */
export interface TestServers {
  /** A folder for data of this test run; deleted when it ends. */
  home: string;
  redisProgram: string;
  postgresUrl: string;
  redisUrl: string;
  template: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    escapementServers: TestServers;
  }
}

export function testServers(): TestServers {
  const servers = inject('escapementServers');
  if (servers) return servers;
  throw new Error('no test servers: tests that need them live in <package>/test, in the vitest project "int"');
}

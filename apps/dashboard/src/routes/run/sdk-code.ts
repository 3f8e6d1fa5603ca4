/** Code that starts the same task with the same payload from a program. */
export function sdkCode({ taskName, payload }: { taskName: string; payload?: unknown }): string {
  const given = payload === null || payload === undefined ? [] : [JSON.stringify(payload, null, 2)];
  return [
    `import { createClient } from '@escapement/client';`,
    '',
    `const escapement = createClient({ databaseUrl: process.env.DATABASE_URL ?? '' });`,
    `const run = await escapement.trigger(${[JSON.stringify(taskName), ...given].join(', ')});`,
    'await run.result();',
    'await escapement.close();',
    '',
  ].join('\n');
}

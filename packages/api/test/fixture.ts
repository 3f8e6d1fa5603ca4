import { saveTask, triggerTask } from '@escapement/operations';
import { findTask } from '@escapement/store';
import { by, finishedRun } from '@escapement/testkit';
import { ROUTES } from '../src/index.ts';
import type { Request, TestApi } from './api.ts';
import type { Example, Fixture } from './example.ts';
import { EXAMPLES } from './examples.ts';
import type { TestProvider } from './oidc/provider.ts';

let count = 0;

/** Something of each kind to ask about, new for each request. */
export async function fixture(home: TestApi, provider: TestProvider): Promise<Fixture> {
  const name = `task-${count++}`;
  const { db } = home;
  await saveTask(
    db,
    {
      name,
      handler: { type: 'http', url: 'https://shop.example/' },
      labels: { team: 'shop' },
      schedule: { kind: 'every', everyMs: 3_600_000 },
    },
    { source: 'api', by: by('root') },
  );
  const task = await findTask(db, name);
  const open = await triggerTask(db, name, { by: by('root') });
  const ended = await finishedRun(db, `${name}-ended`);
  return { ...home, provider, name, taskId: task?.id ?? '', openRun: open, endedRun: ended };
}

/** A request that a route can carry out, with what it is about. */
export async function exampleOf(id: string, of: Fixture): Promise<Example> {
  const make = EXAMPLES[id];
  if (!make) throw new Error(`there is no example of ${id}`);
  return await make(of);
}

export function requestOf(id: string, example: Example): Request {
  const route = ROUTES.find((each) => each.id === id);
  if (!route) throw new Error(`there is no route ${id}`);
  const { params = {}, query, body, headers, streams = false } = example;
  return {
    method: route.method,
    path: route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeSafely(params[name] ?? '')),
    ...(query ? { query } : {}),
    ...(body === undefined ? {} : { body }),
    ...(headers ? { headers } : {}),
    streams,
  };
}

/** Half a surrogate pair cannot be encoded: it is sent as it would come from a careless program. */
export function encodeSafely(given: string): string {
  try {
    return encodeURIComponent(given);
  } catch {
    return '%ED%A0%80';
  }
}

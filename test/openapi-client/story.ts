// The story of test/http-story/story.sh, told by the client that openapi-typescript and openapi-fetch make of docs/reference/openapi.json.
// Nothing here knows of Escapement what that document does not say.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/openapi.d.ts';

type Problem = components['schemas']['Problem'];
type Definition = components['schemas']['TaskDefinition'];

const { URL: baseUrl = '', TOKEN = '', NAME = '', METRICS = '', REDIS_PID = '', FOLDER = '' } = process.env;
const api = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${TOKEN}` } });

/** What was answered; an end with what was refused. */
async function got<Data>(asked: Promise<{ data?: Data; error?: Problem; response: Response }>): Promise<Data> {
  const { data, error, response } = await asked;
  if (data === undefined) throw new Error(`${response.url}: ${response.status} ${error?.code} ${error?.detail}`);
  return data;
}

/** Asks until the answer is so, for half a minute. */
async function until<Data>(ask: () => Promise<Data>, isSo: (data: Data) => boolean): Promise<Data> {
  for (let tries = 0; tries < 150; tries++) {
    const data = await ask();
    if (isSo(data)) return data;
    await sleep(200);
  }
  throw new Error(`it did not come so: ${ask}, ${isSo}`);
}

const say = (step: string) => process.stdout.write(`story: ${step}\n`);
const name = `${NAME}/report`;
const ready = `${FOLDER}/${NAME}-network-is-back`;

async function createAndSave(): Promise<string> {
  say('create');
  const handler: Definition['handler'] = {
    type: 'shell',
    command: `for part in 1 2 3; do echo part $part; sleep 0.1; done; test -e ${ready}`,
  };
  const { id } = await got(api.POST('/v1/tasks', { body: { name, labels: { team: NAME }, handler } }));
  say('preview');
  const schedule: Definition['schedule'] = { kind: 'cron', expression: '30 2 * * *', timeZone: 'Europe/Berlin' };
  const path = { id };
  const { meaning, after, effect, version } = await got(
    api.POST('/v1/tasks/{id}/preview', { params: { path, query: { count: 3 } }, body: { schedule } }),
  );
  assert.deepEqual([meaning, after.length, effect.action], ['at 02:30 every day', 3, 'update']);
  assert.match(effect.clockChanges?.[0]?.message ?? '', /02:30 does not exist in Europe\/Berlin/);
  say('save what was previewed');
  const outdated = await api.PATCH('/v1/tasks/{id}', {
    params: { path, query: { next: '2126-01-01T00:00:00Z' } },
    body: { schedule },
  });
  assert.equal(outdated.error?.code, 'preview_outdated');
  assert.equal(outdated.error?.outdated?.now?.effect.next, effect.next);
  const saved = await got(
    api.PATCH('/v1/tasks/{id}', {
      params: { path, query: { next: effect.next ?? 'none' }, header: { 'If-Match': `"${version}"` } },
      body: { schedule },
    }),
  );
  assert.equal(saved.version, (version ?? 0) + 1);
  return id;
}

async function triggerAndFollow(id: string): Promise<string> {
  say('trigger once');
  const trigger = () =>
    got(
      api.POST('/v1/tasks/{id}/trigger', {
        params: { path: { id }, header: { 'Idempotency-Key': `story-${id}` } },
        body: { reason: 'story' },
      }),
    );
  const [first, again] = [await trigger(), await trigger()];
  assert.deepEqual(again, first);
  const run = first.runs[0]?.id ?? '';
  say('follow its log until it fails');
  const log = await got(
    api.GET('/v1/runs/{id}/log', { params: { path: { id: run }, query: { follow: 'true' } }, parseAs: 'text' }),
  );
  assert.equal(log, 'part 1\npart 2\npart 3\n');
  const ended = await got(api.GET('/v1/runs/{id}/wait', { params: { path: { id: run } } }));
  assert.deepEqual([ended.state, ended.exitCode], ['failed', 1]);
  return run;
}

const bulk = (id: string) => got(api.GET('/v1/bulk/{id}', { params: { path: { id } } }));

async function runAgain(run: string): Promise<void> {
  say('find the group of the failure, and run it again');
  const { items } = await got(api.GET('/v1/errors', { params: { query: { task: name } } }));
  assert.deepEqual(
    items.map(({ count, state }) => [count, state]),
    [[1, 'open']],
  );
  writeFileSync(ready, '');
  const redriven = await got(
    api.POST('/v1/errors/{fingerprint}/redrive', {
      params: { path: { fingerprint: items[0]?.fingerprint ?? '' } },
      body: { reason: 'the network is back' },
    }),
  );
  const { counts } = await until(
    () => bulk(redriven.id),
    ({ state }) => state === 'done',
  );
  assert.equal(counts?.done, 1);
  await until(
    () => got(api.GET('/v1/runs/counts', { params: { query: { query: `task:${name}` } } })),
    ({ states }) => states.succeeded?.count === 1,
  );
  say('rerun by hand');
  const { id } = await got(
    api.POST('/v1/runs/{id}/rerun', { params: { path: { id: run } }, body: { reason: 'once more' } }),
  );
  const ended = await got(api.GET('/v1/runs/{id}/wait', { params: { path: { id } } }));
  assert.equal(ended.state, 'succeeded');
}

async function pauseAndResume(id: string): Promise<void> {
  say('pause and resume');
  await got(api.POST('/v1/tasks/{id}/pause', { params: { path: { id } }, body: { reason: 'moving' } }));
  const { items } = await got(api.GET('/v1/tasks', { params: { query: { name } } }));
  assert.deepEqual(
    items.map(({ state, pauses }) => [state, pauses[0]?.note]),
    [['paused', 'moving']],
  );
  await got(api.POST('/v1/tasks/{id}/resume', { params: { path: { id } }, body: {} }));
}

async function recover(): Promise<void> {
  say('recover after Redis was away');
  const dense = `${NAME}/dense`;
  const { id } = await got(
    api.POST('/v1/tasks', {
      body: {
        name: dense,
        schedule: { kind: 'every', everyMs: 2000 },
        catchUp: 'ask',
        handler: { type: 'shell', command: 'true' },
      },
    }),
  );
  const query = `task:${dense}`;
  await until(
    () => got(api.GET('/v1/runs/counts', { params: { query: { query } } })),
    ({ states }) => (states.succeeded?.count ?? 0) >= 1,
  );
  process.kill(Number(REDIS_PID), 'SIGSTOP');
  await until(
    () => got(api.GET('/v1/runs', { params: { query: { query, limit: 3 } } })),
    ({ items }) => items.length === 3 && items.every(({ startedAt }) => startedAt === null),
  );
  process.kill(Number(REDIS_PID), 'SIGCONT');
  await until(
    () => got(api.GET('/v1/recovery', { params: { query: { task: dense } } })),
    ({ items }) => (items[0]?.held ?? 0) >= 2,
  );
  await got(api.POST('/v1/tasks/{id}/pause', { params: { path: { id } }, body: {} }));
  const held = await got(api.GET('/v1/recovery/runs', { params: { query: { task: dense, limit: 2 } } }));
  const [drop = '', go = ''] = held.items.map((row) => row.id);
  for (const bulkAction of [
    { action: 'drop_held', runs: [drop] },
    { action: 'run_held', runs: [go] },
  ] as const) {
    const asked = await got(api.POST('/v1/bulk', { body: { action: { ...bulkAction, runs: [...bulkAction.runs] } } }));
    await until(
      () => bulk(asked.id),
      ({ state }) => state === 'done',
    );
  }
  const dropped = await got(api.GET('/v1/runs/{id}', { params: { path: { id: drop } } }));
  const gone = await got(api.GET('/v1/runs/{id}/wait', { params: { path: { id: go } } }));
  assert.deepEqual([dropped.state, gone.state], ['missed', 'succeeded']);
}

async function lookAhead(): Promise<void> {
  say('forecast');
  const label = `team=${NAME}`;
  const forecast = await got(api.GET('/v1/forecast', { params: { query: { days: 7, label } } }));
  assert.deepEqual([forecast.runs, forecast.tasks], [7, 1]);
  say('calendar');
  const { token } = await got(
    api.POST('/v1/tokens', { body: { name: `${NAME}-calendar`, role: 'viewer', scope: label } }),
  );
  const calendar = await createClient<paths>({ baseUrl }).GET('/v1/calendar.ics', {
    params: { query: { token, days: 7 } },
    parseAs: 'text',
  });
  assert.equal(calendar.data?.match(/^BEGIN:VEVENT/gm)?.length, 7);
}

async function lookBack(): Promise<void> {
  say('audit');
  const { items } = await got(api.GET('/v1/audit', { params: { query: { subject: `task:${name}` } } }));
  const actions = items.map(({ action }) => action).toReversed();
  assert.deepEqual(actions, ['save', 'save', 'trigger', 'pause', 'resume']);
  say('metrics');
  assert.match(await (await fetch(METRICS)).text(), /^escapement_/m);
}

const id = await createAndSave();
await runAgain(await triggerAndFollow(id));
await pauseAndResume(id);
await recover();
await lookAhead();
await lookBack();
say('the end');

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, get, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { systemClock } from '@escapement/core';
import { deleteTask, pauseTask, saveTask, triggerTask } from '@escapement/operations';
import { by, eventually, finishedRun, finishedRunOf, runningRun } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { type TestApi, testApi } from './api.ts';

interface Told {
  id: number | null;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the tests ask.
  data: any;
}

/** Two replicas of one API. */
const one = await testApi();
const other = await testApi();
const { db } = one;
const urls = new Map<TestApi, string>();
for (const api of [one, other]) urls.set(api, (await api.api.start()).url);
const admin = await one.token({});

interface Watching {
  told: Told[];
  status: number;
  /** Of one kind, all that was told so far. */
  of(event: string): Told[];
  close(): void;
  ended: Promise<void>;
}

async function watch(
  api: TestApi,
  { query = '', token = admin, after }: { query?: string; token?: string; after?: number } = {},
): Promise<Watching> {
  const told: Told[] = [];
  const headers = {
    authorization: `Bearer ${token}`,
    ...(after === undefined ? {} : { 'last-event-id': String(after) }),
  };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = httpRequest(`${urls.get(api)}/v1/events${query}`, { headers, agent: false }, resolve);
    asked.on('error', reject);
    asked.end();
  });
  let rest = '';
  answer.setEncoding('utf8');
  answer.on('data', (text: string) => {
    const pieces = `${rest}${text}`.split('\n\n');
    rest = pieces.pop() ?? '';
    for (const piece of pieces) if (/^event: /m.test(piece)) told.push(read(piece));
  });
  answer.on('error', () => {});
  const ended = new Promise<void>((resolve) => answer.once('close', resolve));
  const of = (event: string) => told.filter((each) => each.event === event);
  if (answer.statusCode === 200) await eventually(() => expect(of('open')).toHaveLength(1));
  return {
    ...{ told, of, ended, status: answer.statusCode ?? 0 },
    close: () => answer.destroy(),
  };
}

function read(piece: string): Told {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(piece)?.[1];
  const id = field('id');
  return {
    id: id === undefined ? null : Number(id),
    event: field('event') ?? '',
    data: JSON.parse(field('data') ?? 'null'),
  };
}

/** How runs of a task were told to stand, in that order. */
function statusesOf({ of }: Watching, task: string): string[] {
  return of('runs').flatMap(({ data }) =>
    data.filter((run: { taskName: string }) => run.taskName === task).map(({ state }: { state: string }) => state),
  );
}

test('begins and ends of runs, and what people do, are told to whoever watches, at each replica', async () => {
  const watching = [await watch(one), await watch(other)];
  await runningRun(db, 'begins');
  for (const each of watching)
    await eventually(() => expect([...new Set(statusesOf(each, 'begins'))]).toEqual(['running']));
  await finishedRun(db, 'ends');
  await pauseTask(db, 'begins', null, by('ann'));
  for (const each of watching) {
    await eventually(() => expect(statusesOf(each, 'ends').at(-1)).toBe('failed'));
    await eventually(() =>
      expect(each.of('actions').flatMap(({ data }) => data)).toContainEqual({
        subject: 'task:begins',
        action: 'pause',
      }),
    );
    expect(each.of('resync')).toEqual([]);
    each.close();
  }
});

test('who is cut off goes on at another replica, without a gap', async () => {
  const first = await watch(one);
  await finishedRun(db, 'before');
  await eventually(() => expect(statusesOf(first, 'before').at(-1)).toBe('failed'));
  const place = first.told.findLast(({ id }) => id !== null)?.id ?? 0;
  const keeper = await watch(other);
  first.close();
  await first.ended;
  await finishedRunOf(db, 'before');
  await finishedRun(db, 'between');
  await eventually(() => expect(statusesOf(keeper, 'between').at(-1)).toBe('failed'));
  const second = await watch(other, { after: place });
  await eventually(() => expect(statusesOf(second, 'between').at(-1)).toBe('failed'));
  expect(second.of('resync')).toEqual([]);
  await finishedRun(db, 'after');
  await eventually(() => expect(statusesOf(second, 'after').at(-1)).toBe('failed'));
  for (const each of [keeper, second]) each.close();
});

test('what happened while the one that looks was gone is told by the next', async () => {
  const lonely = await watch(one);
  await finishedRun(db, 'known');
  await eventually(() => expect(statusesOf(lonely, 'known').at(-1)).toBe('failed'));
  const place = lonely.told.findLast(({ id }) => id !== null)?.id ?? 0;
  lonely.close();
  await eventually(() => expect(one.api.watching()).toBe(0));
  await finishedRun(db, 'unseen');
  const next = await watch(other, { after: place });
  await eventually(() => expect(statusesOf(next, 'unseen').at(-1)).toBe('failed'));
  next.close();
});

test('a place that is not kept any more, or was never told, is a resync', async () => {
  const back = await watch(one, { after: 999_999_999 });
  await eventually(() => expect(back.of('resync')).toHaveLength(1));
  back.close();
});

test('topics and a task choose; a bad one is refused', async () => {
  const actions = await watch(one, { query: '?topics=actions&task=chosen' });
  await finishedRun(db, 'chosen');
  await finishedRun(db, 'not-chosen');
  await eventually(() =>
    expect(actions.of('actions').flatMap(({ data }) => data)).toContainEqual({
      subject: 'task:chosen',
      action: 'save',
    }),
  );
  await deleteTask(db, 'not-chosen', by('ann'));
  await deleteTask(db, 'chosen', by('ann'));
  await eventually(() =>
    expect(actions.of('actions').flatMap(({ data }) => data)).toContainEqual({
      subject: 'task:chosen',
      action: 'delete',
    }),
  );
  expect(actions.told.filter(({ event }) => event === 'runs')).toEqual([]);
  expect(JSON.stringify(actions.told)).not.toContain('not-chosen');
  actions.close();
  expect((await one.ask({ path: '/v1/events', query: { topics: 'everything' } })).status).toBe(400);
});

/** A host tells of starts of a line, as one that tells all the time does. */
async function reportStarts(starts: number): Promise<void> {
  const reporter = await one.token({ role: 'reporter', scope: 'host=web1' });
  const nothing = { endedAt: null, exitCode: null, signal: null, bootedAt: null };
  const start = { line: 'aaaaaaaaaaaa', host: 'web1', startedAt: systemClock.now().toISOString(), ...nothing };
  for (let told = 0; told < starts; told++) {
    const body = { reports: [{ id: randomUUID(), ...start }] };
    expect((await one.ask({ method: 'POST', path: '/v1/shadow/reports', body }, reporter)).status).toBe(200);
  }
}

test('what hosts tell of cron is told as one, and to nobody who sees or asked for less', async () => {
  const shop = await one.token({ role: 'viewer', scope: 'team=shop' });
  const all = await watch(one);
  const ofRuns = await watch(other, { query: '?topics=actions,runs' });
  const less = [ofRuns, await watch(other, { token: shop }), await watch(other, { query: '?task=shop' })];
  await reportStarts(20);
  await eventually(() => expect(all.of('crontabs').map(({ data }) => data)).toEqual([{}]), 20_000);
  await finishedRun(db, 'after-reports');
  await eventually(() => expect(statusesOf(ofRuns, 'after-reports').at(-1)).toBe('failed'));
  for (const each of less) expect(each.of('crontabs')).toEqual([]);
  for (const each of [all, ...less]) each.close();
});

test('who may see some tasks is told of those alone', async () => {
  const handler = { type: 'shell', command: 'true' } as const;
  const save = (name: string, team: string) =>
    saveTask(db, { name, handler, labels: { team } }, { source: 'cli', by: by('ann') });
  await save('of-shop', 'shop');
  await save('of-mail', 'mail');
  const shop = await watch(one, { token: await one.token({ role: 'viewer', scope: 'team=shop' }) });
  await triggerTask(db, 'of-mail', { by: by('ann') });
  await triggerTask(db, 'of-shop', { by: by('ann') });
  await pauseTask(db, 'of-mail', null, by('ann'));
  await pauseTask(db, 'of-shop', null, by('ann'));
  await eventually(() => expect(JSON.stringify(shop.told)).toContain('of-shop'));
  expect(JSON.stringify(shop.told)).not.toContain('of-mail');
  shop.close();
});

test('a server that stops ends its streams', async () => {
  const third = await testApi();
  urls.set(third, (await third.api.start()).url);
  const watching = await watch(third);
  await third.api.stop();
  await watching.ended;
  expect(watching.of('resync')).toEqual([]);
});

test('a server that stops waits for no connection on which nothing is asked', async () => {
  const fourth = await testApi();
  const { url } = await fourth.api.start();
  const unused = connect(Number(new URL(url).port), '127.0.0.1');
  const kept = new Agent({ keepAlive: true });
  await once(unused, 'connect');
  await new Promise((answered) =>
    get(`${url}/openapi.json`, { agent: kept }, (answer) => answer.resume().once('end', answered)),
  );
  await Promise.all([fourth.api.stop(), once(unused, 'close')]);
  kept.destroy();
});

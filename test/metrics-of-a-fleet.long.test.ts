import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { triggerTask } from '@escapement/operations';
import { openDatabase } from '@escapement/store';
import {
  afterFile,
  by,
  eventually,
  hasPrometheus,
  type Prometheus,
  promtool,
  spawnNode,
  startPrometheus,
  testDatabase,
  testRedis,
} from '@escapement/testkit';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { runBin } from '../apps/cli/test/cli.ts';

const START_MS = 45_000;
const folder = fileURLToPath(new URL('../deploy/prometheus/', import.meta.url));
const RULES = `${folder}escapement.rules.yml`;
const DASHBOARD = new URL('../deploy/grafana/escapement.json', import.meta.url);
/** What a histogram's series have at the end of their names. */
const PART = /_(bucket|sum|count)$/;

async function startFleet() {
  const { url } = await testDatabase();
  const env = {
    DATABASE_URL: url,
    REDIS_URL: (await testRedis()).url,
    ESCAPEMENT_HEALTH_PORT: '0',
    ESCAPEMENT_API_PORT: '0',
    ESCAPEMENT_ALLOW_SHELL: 'true',
    ESCAPEMENT_METRICS_TASKS: '10',
  };
  const task = { name: 'counted', schedule: { kind: 'manual' }, handler: { type: 'shell', command: 'true' } };
  const failing = { ...task, name: 'failing', handler: { type: 'shell', command: 'exit 3' } };
  const input = JSON.stringify([task, failing]);
  expect(await runBin(['apply', '-f', '-'], { env, input })).toMatchObject({ code: 0 });
  const [scheduler, worker, api] = await Promise.all([
    start('scheduler', env),
    start('worker', env),
    start('api', env),
  ]);
  const db = openDatabase({ url, applicationName: 'test' });
  afterFile(() => db.close());
  return { db, env, urls: { scheduler, worker, api } };
}

const PROGRAMS = ['scheduler', 'worker', 'api'] as const;
type ProgramName = (typeof PROGRAMS)[number];

/** Starts a program; resolves with the URL of its health server once it runs. */
async function start(app: ProgramName, env: Record<string, string>): Promise<string> {
  const program = spawnNode(new URL(`../apps/${app}/src/main.ts`, import.meta.url), { env });
  const { url } = JSON.parse(await program.waitForLine('health server listens', START_MS));
  await program.waitForLine(`${app} is running`, START_MS);
  if (app === 'api') {
    const { url: api } = JSON.parse(await program.waitForLine('the API listens', START_MS));
    expect(await fetch(`${api}/v1/tasks`)).toMatchObject({ status: 401 });
  }
  return String(url);
}

const fleet = await startFleet();
for (const task of ['counted', 'failing']) await triggerTask(fleet.db, task, { by: by('test') });

const targets = Object.values(fleet.urls).map((url) => new URL(url).host);

async function metricsOf(app: ProgramName): Promise<string> {
  const response = await fetch(`${fleet.urls[app]}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return await response.text();
}

it('a worker counts what it runs, a scheduler tells how the fleet is', async () => {
  await eventually(async () => {
    const worker = await metricsOf('worker');
    expect(worker).toMatch(/^escapement_attempts_ended_total\{pool="default",task="counted",state="succeeded"\} 1$/m);
    expect(worker).toMatch(/^escapement_attempts_ended_total\{pool="default",task="failing",state="failed"\} 1$/m);
    expect(worker).toMatch(/^escapement_worker_places \d+$/m);
    expect(worker).toMatch(/^escapement_build_info\{.*role="worker".*\} 1$/m);
    expect(worker).toMatch(/^process_cpu_seconds_total /m);
    const scheduler = await metricsOf('scheduler');
    expect(scheduler).toMatch(/^escapement_pool_workers\{pool="default"\} 1$/m);
    expect(scheduler).toMatch(/^escapement_schedulers 1$/m);
    expect(scheduler).toMatch(/^escapement_server_up\{server="redis"\} 1$/m);
    expect(scheduler).toMatch(/^escapement_planner_pass_age_seconds [\d.]+$/m);
  });
});

it('an API tells the same of itself', async () => {
  const api = await metricsOf('api');
  expect(api).toMatch(/^escapement_build_info\{.*role="api".*\} 1$/m);
  expect(api).toMatch(/^escapement_server_up\{server="postgres"\} 1$/m);
});

it('no value of a task, and no URL of a server, is in them', async () => {
  for (const app of PROGRAMS) expect(await metricsOf(app)).not.toMatch(/postgres:\/\/|redis:\/\/|exit 3/);
});

it('switched off, there is no such page', async () => {
  const { url } = await testDatabase();
  const env = { ...fleet.env, DATABASE_URL: url, REDIS_URL: (await testRedis()).url, ESCAPEMENT_METRICS: 'off' };
  expect((await fetch(`${await start('worker', env)}/metrics`)).status).toBe(404);
});

it.skipIf(!hasPrometheus)(
  'promtool finds nothing wrong with metrics and rules, and each alert comes as it should',
  async () => {
    for (const app of PROGRAMS)
      expect(promtool(['check', 'metrics'], { input: await metricsOf(app) })).toEqual({ status: 0, output: '' });
    expect(promtool(['check', 'rules', RULES])).toMatchObject({ status: 0 });
    expect(promtool(['test', 'rules', 'escapement.rules-tests.yml'], { cwd: folder })).toMatchObject({ status: 0 });
  },
);

let started: Promise<Prometheus> | undefined;

/** One that watches the fleet, for all tests. */
function watching(): Promise<Prometheus> {
  started ??= startPrometheus(targets, RULES);
  return started;
}

interface Rules {
  groups: { rules: { expr: string }[] }[];
}

it.skipIf(!hasPrometheus)(
  'every metric that the rules name is one that a fleet tells, or counts once it happens',
  async () => {
    const prometheus = await watching();
    const { groups }: Rules = parse(readFileSync(RULES, 'utf8'));
    const expressions = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
    const names = new Set(expressions.flatMap((each) => each.match(/(?<![:\w])escapement_\w+(?![:\w])/g) ?? []));
    const told = `${await metricsOf('scheduler')}${await metricsOf('worker')}`;
    for (const name of names) expect(told).toContain(`# TYPE ${name.replace(/_bucket$/, '')} `);
    await eventually(async () => {
      expect(await prometheus.query('count(escapement_build_info)')).toMatchObject([{ value: 3 }]);
      expect(await prometheus.query('sum(escapement_attempts_ended_total)')).toMatchObject([{ value: 2 }]);
    });
    for (const expression of expressions) await prometheus.query(expression);
    // Before the first look at its targets a Prometheus takes the planner for away, for less than the alert waits.
    await eventually(async () => expect(await prometheus.query('ALERTS')).toEqual([]));
  },
);

interface Dashboard {
  panels: { title: string; targets?: { expr: string }[] }[];
}

/** What the panels ask, with Grafana's variables as they are when nothing is chosen. */
function panelQueries(): { title: string; expr: string }[] {
  const { panels }: Dashboard = JSON.parse(readFileSync(DASHBOARD, 'utf8'));
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      title,
      expr: expr.replaceAll('$__rate_interval', '10s').replaceAll(/\$(job|pool)\b/g, '.*'),
    })),
  );
}

it.skipIf(!hasPrometheus)(
  'every panel of the dashboard asks for metrics that there are, and shows something where the fleet has something to tell',
  async () => {
    const prometheus = await watching();
    const told = (await Promise.all(PROGRAMS.map(metricsOf))).join('');
    const queries = panelQueries();
    expect(queries.length).toBeGreaterThan(40);
    let empty = 0;
    for (const { title, expr } of queries) {
      const names = expr.match(/\b(escapement|process|nodejs)_\w+/g) ?? [];
      expect(names, title).not.toEqual([]);
      for (const name of names) expect(told, title).toMatch(new RegExp(`^# TYPE ${name.replace(PART, '')} `, 'm'));
      // A counter with labels has no series until something has happened.
      const isNotified = names.every((name) => new RegExp(`^${name}[{ ]`, 'm').test(told));
      if (!isNotified) empty++;
      await eventually(async () => {
        const series = await prometheus.query(expr);
        if (isNotified) expect(series, `${title}: ${expr}`).not.toEqual([]);
      });
    }
    expect(empty).toBeLessThan(queries.length / 4);
  },
);

it('the documentation has every metric', async () => {
  const page = readFileSync(new URL('../docs/how-to/monitor-a-fleet.md', import.meta.url), 'utf8');
  const told = (await Promise.all(PROGRAMS.map(metricsOf))).join('');
  const names = new Set([...told.matchAll(/^# TYPE (escapement_\w+) /gm)].map(([, name]) => name));
  expect(names.size).toBeGreaterThan(30);
  expect([...names].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

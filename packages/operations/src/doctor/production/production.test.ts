import { readFileSync } from 'node:fs';
import type { LiveProcess, ProductionReport } from '@escapement/store';
import { describe, expect, test } from 'vitest';
import { judgeAccess } from './judge-access.ts';
import { judgeDurability } from './judge-durability.ts';
import { judgeLimits } from './judge-limits.ts';
import { judgeProcesses } from './judge-processes.ts';
import { PAGES } from './pages.ts';

const NOW = new Date('2026-11-26T12:00:00Z');
const ago = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);
const GOOD: ProductionReport = {
  ...{
    now: NOW,
    archiveMode: 'on',
    lastArchivedAt: ago(1),
    lastArchiveFailedAt: null,
    checksums: true,
    autovacuum: true,
  },
  ...{
    standbys: 1,
    synchronousStandbys: 'ANY 1 (a, b)',
    connections: 97,
    connected: 20,
    plainText: 0,
    statementTimeoutMs: 30_000,
  },
  ...{ size: 2.5e9, retentionDays: 30, tokensEnding: 0, tokensEndless: 0 },
};
const levels = (found: readonly { subject: string; level: string }[]) =>
  found.filter(({ level }) => level !== 'ok').map(({ subject, level }) => `${subject} ${level}`);

describe('durability', () => {
  test.each<[string, Partial<ProductionReport>, string[]]>([
    ['all is well', {}, []],
    ['no archive', { archiveMode: 'off', lastArchivedAt: null }, ['Backups warning']],
    ['nothing archived yet', { lastArchivedAt: null }, ['Backups warning']],
    ['an old archive', { lastArchivedAt: ago(25) }, ['Backups warning']],
    ['archiving fails', { lastArchiveFailedAt: ago(0.5) }, ['Backups problem']],
    ['archiving failed, and works again', { lastArchiveFailedAt: ago(2) }, []],
    ['it never worked', { lastArchivedAt: null, lastArchiveFailedAt: ago(2) }, ['Backups problem']],
    ['commits wait for nobody', { synchronousStandbys: '' }, ['Standbys warning']],
    ['no standby', { synchronousStandbys: '', standbys: 0 }, ['Standbys warning']],
    ['no checksums, no autovacuum', { checksums: false, autovacuum: false }, ['Postgres warning', 'Postgres problem']],
  ])('%s', (_, more, expected) => expect(levels(judgeDurability({ ...GOOD, ...more }))).toEqual(expected));
});

describe('limits', () => {
  test.each<[string, Partial<ProductionReport>, number, string[]]>([
    ['all is well', {}, 4, []],
    ['more may be needed than there are', {}, 9, ['Connections problem']],
    ['many are taken', { connected: 80 }, 4, ['Connections warning']],
    ['many are taken by others', { connected: 80 }, 2, []],
    ['statements never end', { statementTimeoutMs: 0 }, 4, ['Limits problem']],
    ['runs are kept for long', { retentionDays: 500 }, 4, ['Disk warning']],
    ['no tasks', { retentionDays: null }, 4, []],
  ])('%s', (_, more, processes, expected) =>
    expect(levels(judgeLimits({ ...GOOD, ...more }, processes))).toEqual(expected),
  );
});

describe('access', () => {
  const user = { program: 'scheduler' as const, user: 'app', superuser: false, owner: true, missing: [] };
  const of = (more: Partial<ProductionReport>, prefix: string | null, mighty = user) =>
    levels(judgeAccess({ ...GOOD, ...more }, { prefix, users: [mighty] }));

  test('with roles all is well', () => expect(of({}, 'escapement_')).toEqual([]));
  test('without roles', () => expect(of({}, null)).toEqual(['Roles warning']));
  test('as a superuser', () => expect(of({}, null, { ...user, superuser: true })).toEqual(['Roles problem']));
  test('no TLS, a token that ends soon, one that never ends', () =>
    expect(of({ plainText: 2, tokensEnding: 1, tokensEndless: 1 }, 'e_')).toEqual([
      'TLS warning',
      'Tokens warning',
      'Tokens warning',
    ]));
});

describe('processes', () => {
  const process = (role: 'scheduler' | 'worker', host: string, more: Partial<LiveProcess> = {}): LiveProcess => ({
    ...{
      id: `${role}-${host}`,
      role,
      host,
      pid: 1,
      appVersion: '1',
      pools: ['default'],
      tzVersion: null,
      heartbeatAgeMs: 0,
    },
    ...{ plannedAgeMs: null, clockOffsetMs: 0, activeRuns: 0, ...more },
  });
  const fleet = [process('scheduler', 'a'), process('scheduler', 'b'), process('worker', 'a'), process('worker', 'b')];

  test('two of each on two hosts, of one version', () => expect(levels(judgeProcesses(fleet, '22.1.0'))).toEqual([]));
  test('one of each', () =>
    expect(
      levels(
        judgeProcesses(
          [fleet[0], fleet[2]].flatMap((each) => each ?? []),
          '24.0.0',
        ),
      ),
    ).toEqual(['Schedulers warning', 'Workers warning']));
  test('all on one host, a pool of one worker, two versions, an old Node', () =>
    expect(
      levels(
        judgeProcesses(
          fleet.map((each, index) => ({
            ...each,
            host: 'a',
            appVersion: `${index % 2}`,
            pools: index === 3 ? ['big'] : ['default'],
          })),
          '20.19.0',
        ),
      ),
    ).toEqual(['Schedulers warning', 'Workers warning', 'Pools warning', 'Versions warning', 'Versions warning']));
});

test('each finding names its page, also where all is well', () => {
  const roles = { prefix: null, users: [] };
  const found = [
    ...judgeDurability(GOOD),
    ...judgeDurability({ ...GOOD, archiveMode: 'off', checksums: false, autovacuum: false, standbys: 0 }),
    ...judgeLimits(GOOD, 4),
    ...judgeAccess({ ...GOOD, tokensEnding: 1, tokensEndless: 1, plainText: 1 }, roles),
    ...judgeProcesses([], '20.19.0'),
  ];
  const pages: readonly (string | undefined)[] = Object.values(PAGES);
  expect(found.filter(({ page }) => !pages.includes(page) || page === undefined)).toEqual([]);
  expect(found.some(({ level }) => level === 'ok')).toBe(true);
});

test('each page that is named is there, with its heading', () => {
  for (const page of Object.values(PAGES)) {
    const [file = '', anchor] = page.split('#');
    const text = readFileSync(new URL(`../../../../../${file}`, import.meta.url), 'utf8');
    const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));
    if (anchor !== undefined) expect(anchors).toContain(anchor);
  }
});

import { expect, test } from 'vitest';
import { percentOf } from './progress.ts';
import { areMixed, bySeverity, partsOf } from './versions.ts';

test('processes are counted by version', () => {
  const processes = [
    { host: 'b', appVersion: '0.1.0' },
    { host: 'a', appVersion: '0.2.0' },
    { host: 'b', appVersion: '0.2.0' },
    { host: 'a', appVersion: '0.2.0' },
  ];
  const parts = partsOf('worker', processes);
  expect(parts).toEqual([
    { name: 'worker', version: '0.2.0', count: 3, hosts: ['a', 'b'] },
    { name: 'worker', version: '0.1.0', count: 1, hosts: ['b'] },
  ]);
  expect([areMixed(parts), areMixed(parts.slice(1)), areMixed([])]).toEqual([true, false, false]);
});

test('problems stand before what is well', () => {
  const findings = (['ok', 'problem', 'ok', 'warning'] as const).map((level, place) => ({ level, place }));
  expect(bySeverity(findings).map(({ place }) => place)).toEqual([1, 3, 0, 2]);
});

test('how far a verification is goes by the instants that it has compared', () => {
  const [from, to] = ['2026-11-01T00:00:00Z', '2026-11-01T04:00:00Z'];
  const found = (verifiedTo: string) => ({
    verifiedTo,
    tasks: 1,
    expected: 1,
    rows: 1,
    findings: 0,
    gaps: 0,
    named: [],
    unseen: null,
  });
  expect(percentOf({ from, to, found: null })).toBe(0);
  expect(percentOf({ from, to, found: found('2026-11-01T01:00:00Z') })).toBe(25);
  expect(percentOf({ from, to, found: found('2026-11-01T05:00:00Z') })).toBe(100);
});

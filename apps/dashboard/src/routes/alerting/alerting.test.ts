import { expect, test } from 'vitest';
import { revealed } from './hidden.ts';
import { merged } from './merge.ts';

const rule = (name: string, severity = 'warning') => ({ name, when: { kind: 'failed' }, severity });

test('what is left hidden is put back; what is hidden under another name is told', () => {
  const real = { receivers: { ops: { type: 'slack', url: 'https://hooks.example/T0/secret' } } };
  const shown = { receivers: { ops: { type: 'slack', url: 'https://hooks.example/***' } } };
  expect(revealed({ ...shown, routes: [] }, { shown, real })).toEqual({
    document: { ...real, routes: [] },
    unknown: [],
  });
  const renamed = { receivers: { on: shown.receivers.ops } };
  expect(revealed(renamed, { shown, real })).toEqual({ document: renamed, unknown: ['receivers.on.url'] });
  const other = { receivers: { ops: { type: 'slack', url: 'https://other.example/***' } } };
  expect(revealed(other, { shown, real }).unknown).toEqual(['receivers.ops.url']);
  const own = { receivers: { ops: { type: 'slack', url: 'https://other.example/x' } } };
  expect(revealed(own, { shown, real })).toEqual({ document: own, unknown: [] });
});

test('a change is put over what others have saved, rule by rule', () => {
  const from = { rules: [rule('a'), rule('b')], receivers: {}, routes: [] };
  const mine = { ...from, rules: [rule('a', 'critical'), rule('b')] };
  const theirs = { ...from, rules: [rule('c'), rule('a'), rule('b', 'info')] };
  expect(merged({ from, mine, theirs })).toEqual({
    document: { ...from, rules: [rule('c'), rule('a', 'critical'), rule('b', 'info')] },
    theirs: ['rules.c', 'rules.b'],
    both: [],
  });
  const both = merged({ from, mine, theirs: { ...from, rules: [rule('a', 'info'), rule('b')] } });
  expect(both).toMatchObject({ theirs: ['rules.a'], both: ['rules.a'], document: { rules: mine.rules } });
});

test('rules without names are put over as a whole', () => {
  const from = { rules: [rule('a')] };
  const mine = { rules: [{ when: { kind: 'held' } }] };
  expect(merged({ from, mine, theirs: { rules: [rule('b')] } })).toEqual({
    document: mine,
    theirs: ['rules'],
    both: ['rules'],
  });
});

import { afterAll, beforeEach, expect, it } from 'vitest';
import { openDatabase, PROBE_KINDS, type ProbeKind, probeLedger } from '../src/index.ts';
import { twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one: db } = processes;
afterAll(() => processes.close());

const TABLES = [
  ...[
    'run',
    'key_slot',
    'followers_outbox',
    'task_change',
    'backfill',
    'batch',
    'roll_up',
    'task_hour_stale',
    'alert_fact',
  ],
  ...['failure', 'alert', 'monitor', 'delivery', 'request'],
];
beforeEach(async () => {
  for (const table of TABLES) await db.pool.query(`DELETE FROM ${table}`);
});

/** A row of the namespace $1, with these values instead of the usual ones. */
function aRow(table: string, usual: Readonly<Record<string, string>>) {
  return (values: Readonly<Record<string, string>> = {}): string => {
    const row = { namespace: '$1', ...usual, ...values };
    return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) SELECT ${Object.values(row).join(', ')}`;
  };
}

// The ledger has whole milliseconds, and may be half of one ahead of now().
const ago = (interval: string) => `now() - interval '${interval}'`;
const DUE = { due_at: ago('10 min') };
const aRun = aRow('run', {
  ...{
    id: 'gen_random_uuid()',
    scheduled_for: 'now()',
    task_id: 'gen_random_uuid()',
    task_version: '1',
    plan_epoch: '1',
  },
  ...{
    origin: `'trigger'`,
    state: `'queued'`,
    key: `'k'`,
    key_limit: '1',
    overlap: `'skip'`,
    pool: `'p'`,
    ...DUE,
    watched: 'false',
  },
});
const PLANNED = { state: `'planned'`, origin: `'schedule'` };
const ENDED = { state: `'failed'`, reason: `'x'`, finished_at: 'now()' };
const UNKNOWN = { state: `'unknown'`, reason: `'x'` };
const ASKED = { cancel_requested_at: 'now()' };
const LATE = { start_by: ago('1 min') };
const aSlot = aRow('key_slot', { key: `'k'`, slot: '1' });
const aNote = aRow('followers_outbox', {
  ...{ run_id: 'gen_random_uuid()', scheduled_for: 'now()', task_id: 'gen_random_uuid()', event: `'finished'` },
});
const aChange = aRow('task_change', {
  ...{ name: `'t'`, definition: `'{}'::jsonb`, source: `'api'`, created_by: `'{}'::jsonb`, effective_at: ago('1 min') },
});
const aBackfill = aRow('backfill', {
  ...{
    task_id: 'gen_random_uuid()',
    from_at: 'now()',
    to_at: 'now()',
    reprocess: `'none'`,
    concurrency: '1',
    reverse: 'false',
  },
  requested_by: `'ann'`,
});
const aBatch = aRow('batch', {
  ...{
    id: 'gen_random_uuid()',
    run_id: 'gen_random_uuid()',
    run_scheduled_for: 'now()',
    name: `'b'`,
    task_id: 'gen_random_uuid()',
  },
  ...{ concurrency: '1', ordering: `'none'`, on_error: `'stop'`, filled_by: '1', created_at: 'now()' },
});
const aRollUp = aRow('roll_up', {});
const aStaleHour = aRow('task_hour_stale', { task_id: 'gen_random_uuid()', hour: 'now()' });
const aFact = aRow('alert_fact', { kind: `'ledger'` });
const aFailure = aRow('failure', {
  ...{ run_id: 'gen_random_uuid()', scheduled_for: 'now()', task_id: 'gen_random_uuid()', finished_at: 'now()' },
});
const anAlert = aRow('alert', {
  ...{
    rule: `'r'`,
    kind: `'run_failed'`,
    severity: `'warning'`,
    subject: `'s'`,
    labels: `'{}'::jsonb`,
    state: `'firing'`,
  },
  ...{ summary: `'x'`, since: 'now()', last_at: 'now()', fire_at: 'now()' },
});
const RESOLVED = { state: `'resolved'`, resolved_at: 'now()' };
const aMonitor = aRow('monitor', {
  ...{ name: `'h'`, ping_hash: 'sha256($1::bytea)', definition: `'{}'::jsonb`, created_by: `'ann'` },
});
const aDelivery = aRow('delivery', {
  ...{ receiver: `'r'`, alert_group: `'g'`, alerts: `'{1}'::bigint[]`, repeated: 'false', try_at: ago('1 min') },
});
const aRequest = aRow('request', { request: `'{}'::jsonb`, asked_by: `'{}'::jsonb`, expires_at: 'now()' });

const IN_THE_NAMESPACE: [string, string, ProbeKind[]][] = [
  ['a queued run', aRun(), ['live']],
  [
    'a running run',
    aRun({ state: `'running'`, attempt: '1', fence: '1', worker: `'w'`, started_at: 'now()' }),
    ['live'],
  ],
  ['a run that is due later', aRun({ due_at: ago('-1 h') }), ['live']],
  ['a run that is to be dispatched', aRun({ state: `'planned'` }), ['untold']],
  ['a run between attempts', aRun({ state: `'retrying'`, attempt: '1' }), ['untold']],
  ['a repeat that has not come', aRun(PLANNED), ['unrepeated']],
  ['a repeat that is to come', aRun({ ...PLANNED, due_at: ago('-1 h') }), []],
  ['a run that waits for its key', aRun({ state: `'waiting'`, waiting_since: 'now()' }), ['waiting']],
  ['a held run', aRun({ state: `'held'` }), ['for_person']],
  ['a run of unknown outcome', aRun(UNKNOWN), ['for_person']],
  ['a run that has ended', aRun({ ...ENDED, ...ASKED, ...LATE }), []],
  ['a run to be cancelled', aRun(ASKED), ['live', 'cancelling']],
  ['a held run to be cancelled', aRun({ state: `'held'`, ...ASKED }), ['cancelling', 'for_person']],
  ['a run of unknown outcome to be cancelled', aRun({ ...UNKNOWN, ...ASKED }), ['for_person']],
  ['a run that is too late', aRun(LATE), ['live', 'late']],
  ['a run that has until later', aRun({ start_by: ago('-1 h') }), ['live']],
  ['a held run that is too late', aRun({ state: `'held'`, ...LATE }), ['for_person']],
  ['a run that has waited for a worker', aRun({ need: `'shell@w'` }), ['live', 'of_workers']],
  ['a run that waits for a worker', aRun({ need: `'shell@w'`, due_at: 'now()' }), ['live']],
  ['a slot', aSlot(), []],
  [
    'a slot that a run holds',
    aSlot({ run_id: 'gen_random_uuid()', run_scheduled_for: 'now()', since: 'now()' }),
    ['slots'],
  ],
  ['a note of an end', aNote(), ['outbox']],
  ['a note that was given up', aNote({ given_up_at: 'now()', error: `'x'` }), []],
  ['an edit for later', aChange(), ['changes']],
  ['an edit that cannot be made', aChange({ error: `'x'` }), []],
  ['a backfill', aBackfill(), ['backfills']],
  ['a backfill that has ended', aBackfill({ state: `'done'`, ended_at: 'now()' }), []],
  ['a batch', aBatch(), ['batches']],
  ['a batch that is stopping', aBatch({ state: `'stopping'` }), ['batches']],
  ['a batch that has ended', aBatch({ state: `'done'`, ended_at: 'now()' }), []],
  ['an hour that is over', aRollUp({ rolled_until: ago('2 h') }), ['hours']],
  ['an hour that goes on', aRollUp({ rolled_until: ago('30 min') }), []],
  ['an hour with late ends', aStaleHour(), ['hours']],
  ['a fact for the rules', aFact(), ['facts']],
  ['a failure', aFailure(), ['failures']],
  ['a failure with a fingerprint', aFailure({ fingerprint: `'f'` }), []],
  ['an alert', anAlert(), ['alerts']],
  ['an alert that is over', anAlert(RESOLVED), []],
  ['an alert whose end is to be told', anAlert({ ...RESOLVED, tell: `'resolved'` }), ['alerts']],
  ['a monitor', aMonitor(), []],
  ['a monitor in trouble', aMonitor({ trouble_at: ago('1 min') }), ['monitors']],
  ['a monitor that may be in trouble later', aMonitor({ trouble_at: ago('-1 h') }), []],
  ['a message', aDelivery(), ['deliveries']],
  ['a message that is tried again later', aDelivery({ try_at: ago('-1 h') }), []],
  ['a message that was sent', aDelivery({ state: `'sent'` }), []],
  ['a request', aRequest(), ['requests']],
  ['a request that was answered', aRequest({ answered_at: 'now()', answer: `'{}'::jsonb` }), []],
];

const probe = async (from = db) => [...(await probeLedger(from, PROBE_KINDS))];
const add = (row: string, namespace = db.namespace) => db.pool.query(row.replaceAll('$1', `'${namespace}'`));

it.each(IN_THE_NAMESPACE)('%s is seen from its namespace alone, as what it is', async (_, row, kinds) => {
  await add(row, 'other');
  expect(await probe()).toEqual([]);
  await add(row);
  expect(await probe()).toEqual(kinds);
});

it.each<[string, string, ProbeKind]>([
  ['a queued run', aRun(), 'live'],
  ['a run that is to be dispatched', aRun({ state: `'planned'` }), 'untold'],
  ['a repeat that has not come', aRun(PLANNED), 'unrepeated'],
])('%s that is due before the oldest open run is not seen', async (_, row, kind) => {
  await add(row);
  const { rows } = await db.pool.query<{ due_at: Date }>('SELECT due_at FROM run');
  const from = (ms: number) => ({
    ...db,
    openFrom: { ...db.openFrom, runs: new Date((rows[0]?.due_at.getTime() ?? 0) + ms).toISOString() },
  });
  expect(await probe(from(0))).toEqual([kind]);
  expect(await probe(from(1))).toEqual([]);
});

it('with no kind to ask for it asks nothing', async () => {
  const nowhere = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/nothing', applicationName: 'test' });
  expect(await probeLedger(nowhere, [])).toEqual(new Set());
  await nowhere.close();
});

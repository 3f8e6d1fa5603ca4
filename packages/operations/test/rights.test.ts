import { randomUUID } from 'node:crypto';
import { actionOf, type By, checkTask, newRunId, systemClock } from '@escapement/core';
import { DEFAULT_EGRESS } from '@escapement/core/egress';
import { type Grant, parseSelector } from '@escapement/core/rights';
import { listRuns, listTasks, readAuditLog } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { describe, expect, it, test } from 'vitest';
import * as operations from '../src/index.ts';

const {
  askBulk,
  cancelRun,
  deleteTask,
  pauseTask,
  resumeTask,
  rerunRun,
  saveTask,
  setTaskState,
  startBackfill,
  triggerTask,
} = operations;

const fleet = await testFleet();
const { db } = fleet;
const http = { type: 'http', url: 'https://shop.example/' } as const;
const shell = { type: 'shell', command: 'true' } as const;
const handler = http;
const DAILY = { kind: 'fixed-delay', delayMs: 86_400_000 } as const;
const source = 'test';
for (const [name, team] of [
  ['nightly', 'shop'],
  ['mail', 'mail'],
] as const)
  await saveTask(db, { name, handler, labels: { team }, state: undefined }, { source, by: by('root') });

function token(name: string, grants: readonly Grant[], reason?: string): By {
  const principal = { kind: 'token', id: `id-of-${name}`, name, address: '10.0.0.7' } as const;
  return { ...actionOf(principal, reason), grants };
}

const grant = (role: Grant['role'], more: Partial<Grant> = {}): Grant => ({
  role,
  rights: [],
  namespace: 'default',
  selector: null,
  ...more,
});
const shop = parseSelector('team=shop');
const ID = newRunId(systemClock.now());

type TakesBy<Each> = Each extends (...given: infer Given) => unknown
  ? Extract<Given[number], By | { by: By }> extends never
    ? false
    : true
  : false;
type ActionName = {
  [Name in keyof typeof operations]: TakesBy<(typeof operations)[Name]> extends true ? Name : never;
}[keyof typeof operations];

/** What asks by itself, or says what may be seen, and what schedulers do for whom it was permitted when they asked. */
type AsksNot =
  | 'asSeenBy'
  | 'bulkResults'
  | 'chainOfTask'
  | 'describeRun'
  | 'leftOf'
  | 'labelsSeen'
  | 'requestSeenBy'
  | 'requestsSeenBy'
  | 'seesPayloads'
  | 'seesSome'
  | 'permit'
  | 'permitInNamespace'
  | 'permitReading'
  | 'permitOnRun'
  | 'permitOnTask'
  | 'permitOnTasks'
  | 'carryOutChunk'
  | 'verifyNextPiece'
  // Whoever has the cookie of a session may end it.
  | 'signOut';

const LINE = 'aaaaaaaaaaaa';
await saveTask(
  db,
  { name: 'of-a-line', handler, shadow: { line: LINE }, state: undefined },
  { source: 'crontab:web1', by: by('root') },
);

/** Every function of this package that takes `by`: one that is missing here is a mistake of types. */
const ATTACKS: {
  [Name in Exclude<ActionName, AsksNot>]: (who: By) => Promise<unknown>;
} = {
  acceptCopy: (who) => operations.acceptCopy(db, { runs: 'close', gap: 'lost', deadMs: 1 }, who),
  receiveReports: (who) => operations.receiveReports(db, { reports: [], lines: [], answers: [] }, who),
  cutOver: (who) => operations.cutOver(db, { to: 'fleet', lines: [LINE], dryRun: true, deadMs: 60_000 }, who),
  settleCutover: (who) => operations.settleCutover(db, { line: LINE, answer: 'taken' }, who),
  addToList: (who) => operations.addToList(db, 'numbers', [1], who),
  askLedgerVerification: (who) => operations.askLedgerVerification(db, { from: new Date(0), to: new Date(1) }, who),
  askBulk: (who) => askBulk(db, { action: 'cancel' }, who),
  haltBulk: async (who) => operations.haltBulk(db, await askBulk(db, { action: 'cancel' }, by('root')), 'paused', who),
  changeErrorGroup: (who) =>
    operations.changeErrorGroup(db, '0123456789abcdef', { change: { kind: 'resolve' }, by: who }),
  triggerOnce: (who) => operations.triggerOnce(db, 'nightly', 'a-key', { by: who }),
  redriveGroup: (who) => operations.redriveGroup(db, '0123456789abcdef', { since: new Date(0) }, who),
  cancelRun: (who) => cancelRun(db, ID, who),
  importCrontab: (who) => operations.importCrontab(db, CRONTAB, { by: who, now: new Date(0) }),
  inspectFleetRedis: (who) => operations.inspectFleetRedis(db, { deadMs: 1, by: who }),
  examineRedisOfFleet: (who) =>
    operations.examineRedisOfFleet(db, { deadMs: 1, maxClockOffsetMs: 500, allowEviction: false }, who),
  examineQueue: (who) => operations.examineQueue(db, { clock: systemClock, deadMs: 1 }, who),
  compareQueue: (who) => operations.compareQueue(db, who),
  createToken: (who) => operations.createToken(db, { name: 'x', role: 'viewer' }, who),
  createSignInCode: (who) => operations.createSignInCode(db, 'x', { now: new Date(0), by: who }),
  createUser: (who) => operations.createUser(db, { name: 'x', role: 'viewer', password: 'x'.repeat(12) }, who),
  deleteCalendar: (who) => operations.deleteCalendar(db, 'nights', who),
  deleteTask: (who) => deleteTask(db, 'nightly', who),
  deleteUser: (who) => operations.deleteUser(db, 'x', who),
  disableUser: (who) => operations.disableUser(db, 'x', who),
  grantUser: (who) => operations.grantUser(db, 'x', { role: 'viewer' }, who),
  enableUser: (who) => operations.enableUser(db, 'x', who),
  dropList: (who) => operations.dropList(db, 'numbers', who),
  dropPendingChange: (who) => operations.dropPendingChange(db, 'nightly', who),
  dropTaskState: (who) => operations.dropTaskState(db, { task: 'nightly', key: undefined }, who),
  acknowledgeAlert: (who) => operations.acknowledgeAlert(db, 1n, who),
  saveAlerting: (who) => operations.saveAlerting(db, { rules: [] }, who),
  silenceAlerts: (who) => operations.silenceAlerts(db, 'severity=critical', new Date('2999-01-01'), who),
  testReceiver: (who) => operations.testReceiver(db, 'inbox', who),
  unsilenceAlerts: (who) => operations.unsilenceAlerts(db, 1n, who),
  createMonitor: (who) => operations.createMonitor(db, 'backup', { schedule: DAILY }, who),
  deleteMonitor: (who) => operations.deleteMonitor(db, 'backup', who),
  editMonitor: (who) => operations.editMonitor(db, 'backup', { graceMs: 1000 }, who),
  pauseMonitor: (who) => operations.pauseMonitor(db, 'backup', null, who),
  resumeMonitor: (who) => operations.resumeMonitor(db, 'backup', who),
  renewMonitorUrl: (who) => operations.renewMonitorUrl(db, 'backup', who),
  freezeFleet: (who) => operations.freezeFleet(db, null, who),
  listFleetLeases: (who) => operations.listFleetLeases(db, undefined, who),
  lookAtSlots: (who) => operations.lookAtSlots(db, { limit: 1 }, who),
  drainWorker: (who) => operations.drainWorker(db, 'w', who, { deadMs: 1 }),
  resumeWorker: (who) => operations.resumeWorker(db, 'w', who, { deadMs: 1 }),
  pausePool: (who) => operations.pausePool(db, 'default', null, who),
  permitApply: async (who) => operations.permitApply(db, await planned(), who),
  writeApply: async (who) => operations.writeApply(db, await planned(), who),
  pauseTask: (who) => pauseTask(db, 'nightly', null, who),
  previewBackfill: (who) => operations.previewBackfill(db, { ...range, by: who }),
  releaseKey: (who) => operations.releaseKey(db, { key: 'nightly', slot: undefined, by: who }),
  renameTask: (who) => operations.renameTask(db, 'nightly', 'daily', { by: who }),
  resolveRun: (who) => operations.resolveRun(db, ID, 'failed', who),
  resumeBackfill: (who) => operations.resumeBackfill(db, '7', who),
  resumePool: (who) => operations.resumePool(db, 'default', who),
  resumeTask: (who) => resumeTask(db, 'nightly', who),
  rerunRun: (who) => rerunRun(db, ID, who),
  revokeToken: (who) => operations.revokeToken(db, '0123456789abcdef', who),
  replaceCalendar: (who) =>
    operations.replaceCalendar(
      db,
      { name: 'x', definition: { timeZone: 'UTC', entries: [{ hours: ['1-2'] }] } },
      who,
      () => undefined,
    ),
  saveCalendar: (who) => operations.saveCalendar(db, 'x', { timeZone: 'UTC', entries: [{ hours: ['1-2'] }] }, who),
  saveDefinition: (who) => operations.saveDefinition(db, checkTask({ name: 'new', handler }), { source, by: who }),
  saveTask: (who) => saveTask(db, { name: 'new', handler }, { source, by: who }),
  setPassword: (who) => operations.setPassword(db, 'x', 'x'.repeat(12), who),
  setPool: (who) => operations.setPool(db, 'default', { expectedWorkers: 1 }, who),
  setTaskState: (who) => setTaskState(db, { task: 'nightly', key: undefined }, 1, who),
  skipOccurrences: (who) => operations.skipOccurrences(db, 'nightly', 1, who),
  startBackfill: (who) => startBackfill(db, { ...range, by: who }),
  stopBackfill: (who) => operations.stopBackfill(db, '7', who),
  triggerRuns: (who) => operations.triggerRuns(db, 'nightly', { by: who }),
  triggerTask: (who) => triggerTask(db, 'nightly', { by: who }),
  unfreezeFleet: (who) => operations.unfreezeFleet(db, who),
};

function planned() {
  const asked = { set: 'x', prune: false, adopt: true, egress: DEFAULT_EGRESS, placeWords: String };
  return operations.planApply(db, { ...asked, read: [{ value: { name: 'applied', handler }, place: 0 }] });
}

const CRONTAB = { name: 'x', text: '', system: false, prune: false, timeZone: 'UTC', timeZoneFrom: '--tz' } as const;

const range = { task: 'nightly', fromAt: new Date(0), toAt: new Date(1) };

describe.each(Object.entries(ATTACKS))('%s', (name, attack) => {
  it.each([
    ['one who is granted nothing', []],
    ['an admin of another namespace', [grant('admin', { namespace: 'other' })]],
    ['an admin of the tasks of others', [grant('admin', { selector: parseSelector('team=mail') })]],
  ])('is refused to %s, and recorded', async (_, grants) => {
    const who = token(`${name} ${grants[0]?.namespace}`, grants, 'because');
    await expect(attack(who)).rejects.toMatchObject({ code: 'not_allowed' });
    const entries = await readAuditLog(db, { principal: who.principal.name, limit: 10, refused: true });
    expect(entries.at(-1)).toMatchObject({ principal: who.principal, refused: true, reason: 'because' });
    expect(await readAuditLog(db, { principal: who.principal.name, limit: 10, refused: false })).toEqual([]);
  });
});

test('who is granted it by labels does it to those tasks, and to no others', async () => {
  const who = token('shop-operator', [grant('operator', { selector: shop })]);
  const id = await triggerTask(db, 'nightly', { by: who });
  await cancelRun(db, id, who);
  await rerunRun(db, id, who);
  await expect(triggerTask(db, 'mail', { by: who })).rejects.toMatchObject({
    code: 'not_allowed',
    message: 'token shop-operator has not the right "trigger" on task mail: its grants are for tasks with team=shop',
  });
  const foreign = await triggerTask(db, 'mail', { by: by('ann') });
  await expect(cancelRun(db, foreign, who)).rejects.toThrow(`"cancel" on run ${foreign} of task mail`);
  await expect(askBulk(db, { action: 'cancel' }, who)).rejects.toThrow('runs of all tasks');
  await askBulk(db, { action: 'cancel', task: 'nightly' }, who);
  await expect(deleteTask(db, 'nightly', who)).rejects.toThrow('without "edit"');
  expect(
    (await readAuditLog(db, { principal: 'shop-operator', limit: 9, refused: false })).map((e) => e.action),
  ).toEqual(['trigger', 'cancel', 'rerun', 'ask']);
});

test('a reporter of one host tells of that host, answers for no other, and does nothing else', async () => {
  const who = token('web1', [grant('reporter', { selector: parseSelector('host=web1') })]);
  const report = (host: string) => ({
    ...{
      id: randomUUID(),
      line: LINE,
      host,
      startedAt: new Date(0),
      endedAt: null,
      exitCode: null,
      signal: null,
      bootedAt: null,
    },
  });
  const tell = (told: Partial<operations.HostWord>) =>
    operations.receiveReports(db, { reports: [], lines: [], answers: [], ...told }, who);
  expect(await tell({ reports: [report('web1')], host: 'web1' })).toEqual([]);
  const refused = { code: 'not_allowed', message: expect.stringContaining('"report" on the host web2') };
  await expect(tell({ reports: [report('web1'), report('web2')] })).rejects.toMatchObject(refused);
  await expect(
    tell({ host: 'web2', answers: [{ id: randomUUID(), answer: 'taken', answeredAt: new Date(0) }] }),
  ).rejects.toMatchObject(refused);
  await expect(triggerTask(db, 'nightly', { by: who })).rejects.toMatchObject({ code: 'not_allowed' });
  await expect(operations.permitReading(db, who, { right: 'read', of: null })).rejects.toMatchObject({
    code: 'not_allowed',
  });
});

test('an editor saves tasks of its own; not shell lines, secrets or webhooks without the right', async () => {
  const who = token('shop-editor', [grant('editor', { selector: shop })]);
  const save = (input: object) =>
    saveTask(db, { name: 'own', handler, labels: { team: 'shop' }, ...input }, { source, by: who });
  expect(await save({})).toMatchObject({ kind: 'created' });
  await expect(save({ handler: shell })).rejects.toThrow('has not the right "shell" on task own');
  await expect(save({ notify: { webhook: ['https://x.example/'] } })).rejects.toThrow('"webhooks"');
  await expect(save({ labels: { team: 'mail' } })).rejects.toThrow('"edit" on task own');
  await expect(save({ labels: undefined })).rejects.toThrow('"edit" on task own');
  await expect(save({ name: 'mail' })).rejects.toThrow('"edit" on task mail');
  const withShell = token('shop-shell', [grant('editor', { selector: shop, rights: ['shell'] })]);
  await saveTask(db, { name: 'own', handler: shell, labels: { team: 'shop' } }, { source, by: withShell });
  await expect(save({ schedule: { kind: 'every', everyMs: 60_000 }, handler: shell })).rejects.toThrow('"shell"');
});

test('who has another task run after its own starts it, and needs the right to', async () => {
  const who = token('chainer', [grant('editor', { selector: shop })]);
  const save = (input: object) =>
    saveTask(db, { name: 'chain', handler, labels: { team: 'shop' }, ...input }, { source, by: who });
  await save({ then: [{ task: 'nightly' }] });
  await expect(save({ then: [{ task: 'nightly' }, { task: 'mail' }] })).rejects.toThrow('"trigger" on task mail');
  await expect(save({ onFailure: 'mail' })).rejects.toThrow('"trigger" on task mail');
  const later = new Date(systemClock.now().getTime() + 3_600_000);
  const context = { source, by: who, effectiveAt: later };
  const late = { name: 'chain', handler, labels: { team: 'shop' }, onFailure: 'mail' };
  await expect(saveTask(db, late, context)).rejects.toThrow('"trigger" on task mail');
});

test('the code of a task of others does not run under a name of one’s own', async () => {
  const who = token('borrower', [grant('editor', { selector: shop })]);
  const save = (name: string) =>
    saveTask(db, { name: 'borrowed', handler: { type: 'code', name }, labels: { team: 'shop' } }, { source, by: who });
  await expect(save('mail')).rejects.toThrow('"trigger" on task mail');
  await expect(save('not-there')).rejects.toThrow('"trigger" on task not-there');
  await save('nightly');
});

test('names that nobody has checked are refused and recorded whatever they are', async () => {
  const who = token('forger', [grant('viewer')]);
  for (const name of ["x' OR '1'='1", 'a'.repeat(100_000), '\u001b[2J', '__proto__', ''])
    await expect(triggerTask(db, name, { by: who })).rejects.toMatchObject({ code: 'not_allowed' });
  const entries = await readAuditLog(db, { principal: 'forger', limit: 10 });
  expect(entries).toHaveLength(5);
  expect(Math.max(...entries.map((entry) => JSON.stringify(entry).length))).toBeLessThan(1200);
});

test('refusals do not fill the audit: the same once a minute, 60 of a principal an hour, and the last says so', async () => {
  const who = token('flooder', [grant('viewer')]);
  const refused = async (name: string) =>
    await expect(triggerTask(db, name, { by: who })).rejects.toMatchObject({ code: 'not_allowed' });
  for (let time = 0; time < 3; time++) await refused('same');
  expect(await readAuditLog(db, { principal: 'flooder', limit: 100 })).toHaveLength(1);
  for (let index = 0; index < 70; index++) await refused(`other-${index}`);
  const entries = await readAuditLog(db, { principal: 'flooder', limit: 100 });
  expect(entries).toHaveLength(60);
  expect(entries.filter(({ detail }) => detail.more !== undefined)).toEqual([entries.at(-1)]);
  // Another one is noted all the same.
  await expect(triggerTask(db, 'same', { by: token('quiet', []) })).rejects.toMatchObject({ code: 'not_allowed' });
  expect(await readAuditLog(db, { principal: 'quiet', limit: 9 })).toHaveLength(1);
});

test('a user or token of which nothing is known may do nothing', async () => {
  const principal = { kind: 'user', id: 'u', name: 'ann', address: null } as const;
  await expect(triggerTask(db, 'nightly', { by: actionOf(principal) })).rejects.toThrow('nothing is granted to it');
});

test('who has several grants finds what any of them lets it see, and nothing else', async () => {
  const save = (name: string, labels: Record<string, string>) =>
    saveTask(db, { name, handler, labels }, { source, by: by('root') });
  await save('seen-mail-eu', { team: 'mail', env: 'eu', seen: 'yes' });
  await save('seen-mail-us', { team: 'mail', env: 'us', seen: 'yes' });
  await save('seen-shop', { team: 'shop', seen: 'yes' });
  await save('seen-none', { seen: 'yes' });
  const names = ['seen-mail-eu', 'seen-mail-us', 'seen-shop', 'seen-none'];
  await Promise.all(names.map((name) => triggerTask(db, name, { by: by('root') })));
  const elsewhere = grant('admin', { namespace: 'elsewhere' });
  const mailEu = grant('viewer', { selector: parseSelector('team=mail,env=eu') });
  const who = token('several', [elsewhere, grant('operator', { selector: shop }), mailEu]);
  const found = async (asked: string) => {
    const labels = operations.labelsSeen(db, who, parseSelector(asked));
    const tasks = await listTasks(db, { labels });
    const runs = await listRuns(db, { ...(labels ? { labels } : {}), limit: 100 });
    expect(runs.map(({ taskName }) => taskName).sort()).toEqual(tasks.map(({ name }) => name));
    return tasks.map(({ name }) => name);
  };
  expect(await found('seen=yes')).toEqual(['seen-mail-eu', 'seen-shop']);
  expect(await found('seen=yes,team=mail')).toEqual(['seen-mail-eu']);
  expect(await found('seen=yes,env=us')).toEqual([]);
  const all = token('all-of-it', [grant('viewer'), mailEu]);
  expect(operations.labelsSeen(db, all)).toBeUndefined();
  expect(operations.seesSome(db, who)).toBe(true);
  expect(() => operations.labelsSeen(db, token('foreign', [elsewhere]))).toThrow('has not the right "read"');
});

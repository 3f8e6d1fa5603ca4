import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type TaskInput, taskDefinition } from '../task.ts';
import type { Grant } from './grants.ts';
import { firstUnmet, judgeRight, notAllowed } from './judge-right.ts';
import { matchesSelector, parseSelector } from './labels.ts';
import { namespaceObject, needsOfSave, taskObject } from './needs-of-save.ts';
import { EXTRA_RIGHTS, RIGHTS, RIGHTS_OF_ROLE, ROLES } from './roles.ts';

const grant = (role: Grant['role'], more: Partial<Omit<Grant, 'selector'>> & { of?: string } = {}): Grant => ({
  role,
  rights: more.rights ?? [],
  namespace: more.namespace ?? 'default',
  selector: more.of === undefined ? null : parseSelector(more.of),
});

const shop = taskObject('default', 'nightly', { team: 'shop', env: 'prod' });

describe('what each role may do', () => {
  test.each([
    ['reporter', ['report']],
    ['viewer', ['read']],
    ['operator', ['read', 'report', 'trigger', 'cancel', 'rerun', 'pause']],
    ['editor', ['read', 'report', 'trigger', 'cancel', 'rerun', 'pause', 'edit', 'write-data']],
    ['admin', [...RIGHTS]],
  ] as const)('%s', (role, may) => {
    const allowed = RIGHTS.filter((right) => judgeRight([grant(role)], right, shop).allowed);
    expect(allowed.toSorted()).toEqual([...may].sort());
  });
});

test.each([
  ['nobody', [], 'read', 'nothing is granted to it'],
  ['one of another namespace', [grant('admin', { namespace: 'b' })], 'read', 'its grants are for the namespace b'],
  ['a viewer', [grant('viewer')], 'read-payload', 'it is granted viewer there, without "read-payload"'],
  ['an operator who edits', [grant('operator')], 'edit', 'it is granted operator there, without "edit"'],
  ['an editor', [grant('editor')], 'shell', 'it is granted editor there, without "shell"'],
  [
    'an editor with another right',
    [grant('editor', { rights: ['webhooks'] })],
    'secrets',
    'it is granted editor with webhooks there, without "secrets"',
  ],
  [
    'one for other tasks',
    [grant('admin', { of: 'team=mail' }), grant('admin', { of: 'env=test|stage' })],
    'read',
    'its grants are for tasks with team=mail or env=test|stage',
  ],
] as const)('%s is refused, and told why', (_, grants, right, why) => {
  expect(judgeRight(grants, right, shop)).toEqual({ allowed: false, why });
});

test('any one of several grants suffices, and a right of one does not reach where another one is for', () => {
  const grants = [grant('viewer'), grant('editor', { of: 'team=shop', rights: ['shell'] })];
  expect(judgeRight(grants, 'shell', shop)).toEqual({ allowed: true });
  expect(judgeRight(grants, 'shell', taskObject('default', 'mail', { team: 'mail' }))).toMatchObject({
    allowed: false,
  });
});

test('a grant for some tasks is none for what is no task, nor for a task without labels', () => {
  const grants = [grant('admin', { of: 'team=shop' })];
  expect(judgeRight(grants, 'read', namespaceObject('default', 'pool db1'))).toMatchObject({ allowed: false });
  expect(judgeRight(grants, 'read', taskObject('default', 'plain'))).toMatchObject({ allowed: false });
});

test('a refusal says who lacks which right, on what, and why', () => {
  const unmet = firstUnmet([grant('viewer')], [{ right: 'trigger', object: shop }]);
  const who = { kind: 'token', id: 'x', name: 'ci', address: null } as const;
  expect(unmet && notAllowed(who, unmet)).toMatchObject({
    code: 'not_allowed',
    message: 'token ci has not the right "trigger" on task nightly: it is granted viewer there, without "trigger"',
  });
});

describe('properties', () => {
  const word = fc.constantFrom('a', 'b', 'c');
  const labels = fc.dictionary(word, word, { maxKeys: 3 });
  const selector = fc
    .uniqueArray(fc.tuple(word, fc.uniqueArray(word, { minLength: 1 })), { minLength: 1, selector: ([key]) => key })
    .map((terms) => parseSelector(terms.map(([key, values]) => `${key}=${values.join('|')}`).join(',')));
  const anyGrant = fc.record({
    role: fc.constantFrom(...ROLES),
    rights: fc.uniqueArray(fc.constantFrom(...EXTRA_RIGHTS)),
    namespace: word,
    selector: fc.option(selector),
  });
  const object = fc.record({ what: word, namespace: word, labels: fc.option(labels) });
  const right = fc.constantFrom(...RIGHTS);

  test('more grants never take a right away, and what is allowed is so by one grant alone', () => {
    fc.assert(
      fc.property(fc.array(anyGrant), anyGrant, right, object, (grants, more, asked, what) => {
        const before = judgeRight(grants, asked, what).allowed;
        const after = judgeRight([...grants, more], asked, what).allowed;
        expect(after).toBe(before || judgeRight([more], asked, what).allowed);
      }),
    );
  });

  test('what is allowed is granted in this very namespace, for these labels, by role or by name', () => {
    fc.assert(
      fc.property(fc.array(anyGrant), right, object, (grants, asked, what) => {
        const covering = grants.filter(
          (each) =>
            each.namespace === what.namespace &&
            (each.selector === null || (what.labels !== null && matchesSelector(each.selector, what.labels))) &&
            (RIGHTS_OF_ROLE[each.role].includes(asked) || each.rights.some((extra) => extra === asked)),
        );
        expect(judgeRight(grants, asked, what).allowed).toBe(covering.length > 0);
      }),
    );
  });

  test('a selector read back from its text means the same', () => {
    fc.assert(
      fc.property(selector, labels, (read, given) => {
        expect(matchesSelector(parseSelector(read.text), given)).toBe(matchesSelector(read, given));
      }),
    );
  });
});

test.each(
  [
    ['', 'team', 'team=', '=shop', 'team=shop,', 'team=shop,team=mail', 'team=a=b', 'team=a||b', "team=a' OR '1"],
    ['Team=shop', 'team=shop|', '__proto__=x', 'a'.repeat(64).concat('=x'), `team=${'x'.repeat(2000)}`, 'team!=shop'],
  ].flat(),
)('%j is no selector', (text) => {
  expect(() => parseSelector(text)).toThrow(/selects no labels/);
});

test('a name that all objects have is no label', () => {
  expect(matchesSelector(parseSelector('constructor=x'), {})).toBe(false);
});

describe('what it takes to save a task', () => {
  const needs = (input: Omit<TaskInput, 'name'>, before: Record<string, string> | null = null) =>
    needsOfSave({
      namespace: 'default',
      definition: taskDefinition.parse({ name: 'a', ...input }),
      before,
      labelsOf: (task) => ({ team: task }),
    }).map(({ right, object }) => `${right} ${object.what} ${JSON.stringify(object.labels)}`);
  const http = { type: 'http', url: 'https://x.example/' } as const;

  test.each<[string, Omit<TaskInput, 'name'>, string[]]>([
    ['a request', { handler: http }, []],
    ['a shell line', { handler: { type: 'shell', command: 'true' } }, ['shell']],
    ['another user', { handler: { type: 'shell', command: 'true', user: 'root' } }, ['shell', 'run-as']],
    ['a secret', { handler: { ...http, headers: { Authorization: { secret: 'X' } } } }, ['secrets']],
    ['secrets of code', { handler: { type: 'code', name: 'a', secrets: ['X'] } }, ['secrets']],
    ['a webhook', { handler: http, notify: { webhook: ['https://x.example/'] } }, ['webhooks']],
  ])('%s', (_, input, rights) => {
    expect(needs(input)).toEqual(['edit', ...rights].map((right) => `${right} task a {}`));
  });

  test('what follows it is started by it', () => {
    const follows = { handler: http, then: [{ task: 'b' }, { task: 'b' }], onFailure: 'c' };
    expect(needs(follows).slice(1)).toEqual(['trigger task b {"team":"b"}', 'trigger task c {"team":"c"}']);
  });

  test('who runs the code of another task starts that one', () => {
    expect(needs({ handler: { type: 'code', name: 'a' } })).toEqual(['edit task a {}']);
    expect(needs({ handler: { type: 'code', name: 'b' } })).toEqual(['edit task a {}', 'trigger task b {"team":"b"}']);
  });

  test('labels do not take a task over: it is edited as what it was, too', () => {
    expect(needs({ handler: http, labels: { team: 'shop' } }, { team: 'mail' })).toEqual([
      'edit task a {"team":"mail"}',
      'edit task a {"team":"shop"}',
    ]);
  });
});

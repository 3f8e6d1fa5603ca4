import type { LookupAddress } from 'node:dns';
import { describe, expect, test } from 'vitest';
import {
  DEFAULT_EGRESS,
  type EgressDenied,
  guardedLookup,
  judgeUrl,
  networkOf,
  parseEgress,
  type Resolver,
} from './index.ts';

/** Spellings of addresses that no task may reach unless they are opened, by the rule that refuses them. */
const REFUSED: readonly (readonly [rule: string, spellings: readonly string[]])[] = [
  [
    'loopback',
    [
      '127.0.0.1',
      '127.1',
      '127.0.1',
      '127.255.255.254',
      '0x7f000001',
      '0x7f.1',
      '0x7f.0x0.0x0.0x1',
      '2130706433',
      '017700000001',
      '0177.0.0.1',
      '0177.1',
      '127.0.0.1.',
      '127.000.000.001',
      '%31%32%37.0.0.1',
      '１２７.０.０.１',
      '127。0。0。1',
      '①②⑦.⓪.⓪.①',
      'user:password@127.0.0.1',
      'localhost',
      'LOCALHOST',
      'localhost.',
      'a.b.localhost',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[0000::0001]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:ffff:7f00:1]',
      '[::127.0.0.1]',
      '[::ffff:0:127.0.0.1]',
      '[64:ff9b::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '[2002:7f00:1::1]',
      '[2600::5efe:127.0.0.1]',
      '[2600::200:5efe:7f00:1]',
    ],
  ],
  ['unspecified', ['0', '0.0.0.0', '0x0', '00', '0.1.2.3', '[::]', '[::ffff:0.0.0.0]', '[64:ff9b::0.0.0.0]']],
  ['metadata', ['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518']],
  ['metadata', ['[::ffff:169.254.169.254]', '[64:ff9b::a9fe:a9fe]', '[2002:a9fe:a9fe::]', '[fd00:ec2::254]']],
  ['metadata', ['169.254.170.2', '100.100.100.200', '192.0.0.192', '168.63.129.16', '[fd20:ce::254]']],
  ['link-local', ['169.254.1.1', '[fe80::1]', '[febf::1]', '[::ffff:169.254.1.1]']],
  [
    'private',
    ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '198.18.0.1', '10.1', '167772161'],
  ],
  [
    'private',
    ['[fc00::1]', '[fd12:3456::1]', '[fec0::1]', '[::ffff:10.0.0.1]', '[64:ff9b::10.0.0.1]', '[2002:a00:1::]'],
  ],
  ['multicast', ['224.0.0.1', '239.255.255.255', '[ff02::1]', '[2002:e000:1::]']],
  [
    'reserved',
    ['255.255.255.255', '240.0.0.1', '192.0.2.1', '[2001::1]', '[2001:db8::1]', '[64:ff9b:1::1]', '[100::1]'],
  ],
  ['reserved', ['[4000::1]', '[5f00::1]', '[3fff::1]']],
];

const spellings = REFUSED.flatMap(([rule, list]) => list.map((host) => [host, rule] as const));

function ruleOf(host: string, policy = DEFAULT_EGRESS): string | undefined {
  return /rule "(.*?)"/.exec(judgeUrl(policy, new URL(`http://${host}/`))?.message ?? '')?.[1];
}

describe('addresses that stand in a URL', () => {
  test.each(spellings)('%s is refused by the rule "%s"', (host, rule) => expect(ruleOf(host)).toBe(rule));

  test.each([
    ['1.1.1.1'],
    ['134744072'],
    ['[2606:4700::1111]'],
    ['[2001:4860:4860::8888]'],
    ['[64:ff9b::1.1.1.1]'],
    ['[::ffff:1.1.1.1]'],
    ['172.32.0.1'],
    ['100.128.0.1'],
    ['example.com'],
    ['localhost.example.com'],
  ])('%s is open', (host) => expect(judgeUrl(DEFAULT_EGRESS, new URL(`http://${host}/`))).toBeUndefined());

  test('the refusal says the rule and what opens the address', () => {
    const denied = judgeUrl(DEFAULT_EGRESS, new URL('https://[::ffff:10.1.2.3]/'));
    expect(denied?.message).toBe('requests to ::ffff:a01:203 port 443 are not open: rule "private" (10.0.0.0/8)');
    expect(denied?.fix).toBe(
      'ESCAPEMENT_EGRESS is "public"; an operator opens it by "[::ffff:a01:203]:443", or all of its kind by "private"',
    );
  });
});

describe('what an operator opens', () => {
  test.each([
    ['public,loopback', '127.1', undefined],
    ['loopback', '1.1.1.1', 'public'],
    ['public,private', '10.0.0.1', undefined],
    ['public,private', '[fd00:ec2::254]', 'metadata'],
    ['public,private', '169.254.169.254', 'metadata'],
    ['public,link-local', '169.254.169.254', 'metadata'],
    ['169.254.0.0/16', '169.254.169.254', 'metadata'],
    ['0.0.0.0/0', '169.254.169.254', 'metadata'],
    ['169.254.169.254', '169.254.169.254', undefined],
    ['169.254.169.254/32', '[::ffff:169.254.169.254]', undefined],
    ['10.2.0.0/16', '10.2.3.4', undefined],
    ['10.2.0.0/16', '[::ffff:10.2.3.4]', undefined],
    ['10.2.0.0/16', '[64:ff9b::10.2.3.4]', undefined],
    ['10.2.0.0/16', '10.3.0.1', 'private'],
    ['fd12::/16', '[fd12::1]', undefined],
    ['[fd12::]/16:80', '[fd12::1]', undefined],
    ['[fd12::]/16:443', '[fd12::1]', 'private'],
    ['127.0.0.1:80', '127.0.0.1', undefined],
    ['127.0.0.1:8080', '127.0.0.1', 'loopback'],
    ['127.0.0.1:79-81', '127.0.0.1', undefined],
    ['public:443', '1.1.1.1', 'public'],
    // A name opens what it is found to be, no address that stands in a URL.
    ['localhost', '127.0.0.1', 'loopback'],
    ['localhost', 'localhost', 'loopback'],
  ])('%s: %s', (text, host, rule) => expect(ruleOf(host, parseEgress(text))).toBe(rule));

  test.each([
    [''],
    ['public,'],
    ['public private'],
    ['metadata'],
    ['10.0.0.0/33'],
    ['[::1]/129'],
    ['10.0.0.0/8/8'],
    ['example.com/8'],
    ['127.1'],
    ['0x7f000001'],
    ['169.254.1698999'],
    ['a.1'],
    ['*'],
    ['*.'],
    ['a..b'],
    ['http://example.com'],
    ['example.com:0'],
    ['example.com:70000'],
    ['example.com:20-10'],
    ['[::1'],
  ])('"%s" is refused', (text) => expect(() => parseEgress(text)).toThrow(/opens nothing/));
});

const v4 = (...addresses: string[]): LookupAddress[] => addresses.map((address) => ({ address, family: 4 }));
const answering =
  (...answers: LookupAddress[][]): Resolver =>
  (_host, _options, callback) =>
    callback(null, answers.shift() ?? []);

function find(text: string, host: string, resolve: Resolver): Promise<string | LookupAddress[]> {
  const url = new URL(`http://${host}/`);
  const lookup = guardedLookup(parseEgress(text), url, resolve);
  return new Promise((found, fail) => {
    lookup(url.hostname, { all: true }, (error, address) => (error ? fail(error) : found(address)));
  });
}

describe('addresses that a name is found to be', () => {
  test('a name with a refused address alone is refused, and the error names both', async () => {
    await expect(find('public', 'rebind.example', answering(v4('127.0.0.1')))).rejects.toThrow(
      'requests to rebind.example, which is 127.0.0.1, port 80 are not open: rule "loopback" (127.0.0.0/8)',
    );
  });

  test('of several addresses the open ones are left', async () => {
    const found = await find('public', 'mixed.example', answering(v4('10.0.0.1', '1.1.1.1', '169.254.169.254')));
    expect(found).toEqual(v4('1.1.1.1'));
  });

  test('each look-up is judged anew: an answer that was open opens nothing for the next one', async () => {
    const resolve = answering(v4('1.1.1.1'), v4('127.0.0.1'));
    expect(await find('public', 'rebind.example', resolve)).toEqual(v4('1.1.1.1'));
    await expect(find('public', 'rebind.example', resolve)).rejects.toThrow(/rule "loopback"/);
  });

  test('a socket that asks for one address gets one', async () => {
    const lookup = guardedLookup(DEFAULT_EGRESS, new URL('http://two.example'), answering(v4('10.0.0.1', '1.1.1.1')));
    const found = await new Promise((resolve) => {
      lookup('two.example', {}, (error, address, family) => resolve([error, address, family]));
    });
    expect(found).toEqual([null, '1.1.1.1', 4]);
  });

  test('the error of the resolver is handed on, and no address at all is a name that is not found', async () => {
    const refused = Object.assign(new Error('no'), { code: 'EAI_AGAIN' });
    await expect(find('public', 'x.example', (_h, _o, callback) => callback(refused, []))).rejects.toBe(refused);
    await expect(find('public', 'x.example', answering([]))).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test.each([
    ['api.corp', 'api.corp', '10.0.0.1', true],
    ['api.corp', 'API.corp.', '10.0.0.1', true],
    ['api.corp', 'other.corp', '10.0.0.1', false],
    ['*.corp', 'a.b.corp', '10.0.0.1', true],
    ['*.corp', 'corp', '10.0.0.1', false],
    ['*.corp', 'evilcorp', '10.0.0.1', false],
    ['api.corp:81', 'api.corp', '10.0.0.1', false],
    ['api.corp', 'api.corp', '127.0.0.1', false],
    ['api.corp', 'api.corp', '169.254.169.254', false],
    ['api.corp', 'api.corp', '0.0.0.0', false],
    ['api.corp', 'example.com', '1.1.1.1', false],
  ])('%s: %s at %s: %s', async (text, host, address, open) => {
    const found = find(text, host, answering(v4(address)));
    if (open) expect(await found).toEqual(v4(address));
    else await expect(found).rejects.toThrow(/not open/);
  });

  test('a literal address is refused before anything is looked up', () => {
    const never: Resolver = () => expect.unreachable();
    const denied = () => guardedLookup(DEFAULT_EGRESS, new URL('http://2130706433/'), never);
    expect(denied).toThrow(expect.objectContaining<Partial<EgressDenied>>({ code: 'egress_denied' }));
  });
});

test.each([
  ['10.0.0.7', '10.0.0.7'],
  ['::ffff:10.0.0.7', '10.0.0.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9%eth0', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['unknown', 'unknown'],
])('%s is of the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { signingKey } from '@escapement/service';
import { expect, test } from 'vitest';
import { signedHeaders } from './signature.ts';

/** The vector that the libraries of Standard Webhooks are tested with. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  signed: { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' },
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

test('a request is signed as Standard Webhooks says', () => {
  expect(signedHeaders(VECTOR.signed, [VECTOR.secret])).toEqual({
    'webhook-id': VECTOR.signed.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': VECTOR.signature,
  });
});

test('with two secrets both signatures are there, and without one there is none', () => {
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const both = signedHeaders(VECTOR.signed, [other, VECTOR.secret])['webhook-signature']?.split(' ');
  expect(both).toEqual([signedHeaders(VECTOR.signed, [other])['webhook-signature'], VECTOR.signature]);
  expect(signedHeaders(VECTOR.signed, [])).toEqual({});
});

test.each([
  ['id', { id: 'msg_other' }],
  ['time', { timestamp: 1_614_265_331 }],
  ['body', { body: '{"test": 2432232315}' }],
])('another %s has another signature', (_, changed) => {
  expect(signedHeaders({ ...VECTOR.signed, ...changed }, [VECTOR.secret])['webhook-signature']).not.toBe(
    VECTOR.signature,
  );
});

test.each(['', 'whsec_', 'whsec_short', 'whsec_!!!!', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', `whsec_${'A'.repeat(92)}`])(
  '"%s" is no secret',
  (secret) => expect(signingKey(secret)).toBeUndefined(),
);

/** `isGenuine(headers, body, secret)` of docs/reference/alerts.md. */
function receiverOfTheDocs(nowMs: number): (headers: object, body: string, secret: string) => boolean {
  const page = readFileSync(new URL('../../../../../docs/reference/alerts.md', import.meta.url), 'utf8');
  const code = /```js\n(?:import .*\n\n)?(function isGenuine[\s\S]*?)```/.exec(page)?.[1];
  const globals = { createHmac, timingSafeEqual, Buffer, Math, Number, Date: { now: () => nowMs } };
  return runInNewContext(`${code}\nisGenuine`, globals);
}

test('the check that the docs give receivers takes what is genuine, and nothing else', () => {
  const { secret, signed } = VECTOR;
  const headers = signedHeaders(signed, [`whsec_${Buffer.alloc(32, 7).toString('base64')}`, secret]);
  const isGenuine = receiverOfTheDocs(signed.timestamp * 1000 + 299_000);
  expect(isGenuine(headers, signed.body, secret)).toBe(true);
  expect(isGenuine(headers, `${signed.body} `, secret)).toBe(false);
  expect(isGenuine({ ...headers, 'webhook-id': 'other' }, signed.body, secret)).toBe(false);
  expect(isGenuine({ ...headers, 'webhook-signature': 'v1,' }, signed.body, secret)).toBe(false);
  expect(isGenuine({}, signed.body, secret)).toBe(false);
  expect(receiverOfTheDocs(signed.timestamp * 1000 + 301_000)(headers, signed.body, secret)).toBe(false);
});

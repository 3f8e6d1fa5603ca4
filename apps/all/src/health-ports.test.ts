import { expect, test } from 'vitest';
import { healthPorts } from './health-ports.ts';

test.each([
  [undefined, [undefined, undefined, undefined]],
  ['9000', ['9000', '9001', '9002']],
  ['off', ['off', 'off', 'off']],
  ['0', ['0', '0', '0']],
  ['nine', ['nine', 'nine', 'nine']],
])('ESCAPEMENT_HEALTH_PORT=%s', (given, [scheduler, worker, api]) => {
  expect(healthPorts({ ESCAPEMENT_HEALTH_PORT: given })).toEqual({ scheduler, worker, api });
});

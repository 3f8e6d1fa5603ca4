import { EventEmitter } from 'node:events';
import { beforeEach, expect, test } from 'vitest';
import { type ProcessHost, shareProcess } from './share-process.ts';

class Real extends EventEmitter {
  readonly codes: number[] = [];
  exit(code: number): void {
    this.codes.push(code);
  }
}

let real: Real;
let hosts: ProcessHost[];
/** What each program was told. */
let told: string[][];

beforeEach(() => {
  real = new Real();
  const host = shareProcess(3, real);
  hosts = [host(), host(), host()];
  told = hosts.map(({ signals }) => {
    const events: string[] = [];
    for (const event of ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection'])
      signals.on(event, () => events.push(event));
    return events;
  });
});

const end = (...codes: number[]) => {
  for (const [index, code] of codes.entries()) hosts[index]?.exit(code);
};

test('a signal goes to all, and the process ends once all have ended', () => {
  real.emit('SIGTERM');
  expect(told).toEqual([['SIGTERM'], ['SIGTERM'], ['SIGTERM']]);
  end(0, 0);
  expect([told[2], real.codes]).toEqual([['SIGTERM'], []]);
  hosts[2]?.exit(0);
  expect(real.codes).toEqual([0]);
});

test('a second signal goes to those that have not ended', () => {
  real.emit('SIGTERM');
  hosts[0]?.exit(0);
  real.emit('SIGINT');
  expect(told).toEqual([['SIGTERM'], ['SIGTERM', 'SIGINT'], ['SIGTERM', 'SIGINT']]);
});

test('when one ends by itself the others are told once, and its exit code is that of the process', () => {
  hosts[1]?.exit(3);
  expect(told).toEqual([['SIGTERM'], [], ['SIGTERM']]);
  hosts[0]?.exit(0);
  expect(told).toEqual([['SIGTERM'], [], ['SIGTERM']]);
  hosts[2]?.exit(1);
  expect(real.codes).toEqual([3]);
});

test('an error that one of them claims stops nobody; any other stops all', () => {
  hosts[1]?.asks((error, kind) => error === 'of a run' && kind === 'rejection');
  real.emit('unhandledRejection', 'of a run');
  expect(told).toEqual([[], [], []]);
  real.emit('uncaughtException', 'of a run');
  expect(told).toEqual([['uncaughtException'], ['uncaughtException'], ['uncaughtException']]);
  hosts[0]?.exit(1);
  expect(told[1]).toEqual(['uncaughtException']);
});

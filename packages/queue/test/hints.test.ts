import { createHints } from '@escapement/queue';
import { expect, onTestFinished, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aConnection, eventually } from './support.ts';

function hintsOn(url: string) {
  const hints = createHints(aConnection(url));
  onTestFinished(() => hints.close());
  return hints;
}

test('a hint reaches all who listen on its channel, and nobody else', async () => {
  const { url } = await ownRedis();
  const [sender, one, two] = [hintsOn(url), hintsOn(url), hintsOn(url)];
  const heard: (string | undefined)[][] = [[], [], []];
  one.subscribe('cancel', (payload) => heard[0]?.push(payload));
  two.subscribe('cancel', (payload) => heard[1]?.push(payload));
  two.subscribe('wake', (payload) => heard[2]?.push(payload));
  await eventually(async () => {
    await sender.publish('cancel', 'run 1');
    expect(heard[0]).toContain('run 1');
    expect(heard[1]).toContain('run 1');
  });
  expect(heard[2]).toEqual([]);
});

test('after a gap listeners are told that they may have missed something, and hear again', async () => {
  const redis = await ownRedis();
  const hints = hintsOn(redis.url);
  const heard: (string | undefined)[] = [];
  hints.subscribe('wake', (payload) => heard.push(payload));
  await eventually(async () => {
    await hints.publish('wake', 'before');
    expect(heard).toContain('before');
  });
  await redis.kill();
  await hints.publish('wake', 'nobody hears it');
  await redis.start();
  await eventually(() => expect(heard).toContain(undefined));
  await eventually(async () => {
    await hints.publish('wake', 'after');
    expect(heard).toContain('after');
  });
});

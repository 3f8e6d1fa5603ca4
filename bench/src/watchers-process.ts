import { request } from 'node:http';
import { systemClock } from '@escapement/core';
import { started } from './children.ts';
import type { WatchersInput, WatchersReport } from './watchers.ts';

const { url, token, clients, readers }: WatchersInput = JSON.parse(process.argv[2] ?? '{}');
/** Heard since the last report, by those that read what they hear. */
let agesMs: number[] = [];
let [bytes, resyncs, open] = [0, 0, 0];

/** A client that reads what it hears notes how old each end of a run is by then; the others only count. */
function watch(index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/v1/events`, { agent: false, headers: { authorization: `Bearer ${token}` } });
    asked.on('error', reject);
    asked.on('response', (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`/v1/events: ${answer.statusCode}`));
      open++;
      answer.on('close', () => open--);
      answer.on('error', () => undefined);
      answer.once('data', () => resolve());
      const read = index < readers ? reader() : undefined;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        read?.(chunk.toString());
      });
    });
    asked.end();
  });
}

function reader(): (text: string) => void {
  let rest = '';
  return (text) => {
    const pieces = `${rest}${text}`.split('\n\n');
    rest = pieces.pop() ?? '';
    const heardMs = systemClock.now().getTime();
    for (const piece of pieces) {
      if (piece.includes('event: resync')) resyncs++;
      const [, data] = /event: runs\ndata: (.*)/.exec(piece) ?? [];
      const runs: { state: string; at: string }[] = JSON.parse(data ?? '[]');
      for (const { state, at } of runs) if (state === 'succeeded') agesMs.push(heardMs - Date.parse(at));
    }
  };
}

process.on('message', () => {
  const report: WatchersReport = { agesMs, bytes, resyncs, open };
  [agesMs, bytes, resyncs] = [[], 0, 0];
  process.send?.(report);
});

/** Some at a time: a queue of connections has an end. */
const AT_ONCE = 50;
for (let first = 0; first < clients; first += AT_ONCE)
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, clients - first) }, (_, index) => watch(first + index)));
started(async () => undefined);

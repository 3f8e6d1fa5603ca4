import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestFleet, type TestFleet } from '@escapement/test-fleet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import downloadImage from '../download-image.ts';
import imageAlbum from '../image-album.ts';

const COUNT = 12;
const GONE = 5;
const BUSY = 8;

let fleet: TestFleet;
let server: Server;
let folder: string;
let asked: string[];
let atOnce = { now: 0, most: 0 };

/** Image 1 is answered last of its neighbours, and so on; one is gone, one server is busy at first. */
function serve(url: string): { status: number; body: string; afterMs: number } {
  const number = Number(/(\d+)\.png$/.exec(url)?.[1]);
  if (url === '/list') return { status: 200, body: images().join('\n'), afterMs: 0 };
  const times = asked.filter((each) => each === url).length;
  if (number === GONE) return { status: 404, body: '', afterMs: 0 };
  if (number === BUSY && times === 1) return { status: 503, body: '', afterMs: 0 };
  return { status: 200, body: 'x'.repeat(number), afterMs: (COUNT - number) * 20 };
}

const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const images = () => Array.from({ length: COUNT }, (_, index) => `${origin()}/${index + 1}.png`);

beforeAll(async () => {
  asked = [];
  folder = await mkdtemp(path.join(tmpdir(), 'escapement-album-'));
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    atOnce = { now: atOnce.now + 1, most: Math.max(atOnce.most, atOnce.now + 1) };
    const { status, body, afterMs } = serve(request.url ?? '');
    setTimeout(() => {
      atOnce.now -= 1;
      response.writeHead(status).end(body);
    }, afterMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  fleet = await startTestFleet({ tasks: [imageAlbum, downloadImage] });
}, 60_000);

afterAll(async () => {
  await fleet?.stop();
  server?.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

test('the album has the images in the order of the list, though they arrive in another', async () => {
  await fleet.trigger(imageAlbum, { list: `${origin()}/list`, folder });
  await fleet.advance('10s');
  const [album] = await fleet.runs(imageAlbum);
  expect(album).toMatchObject({ state: 'succeeded', output: { images: COUNT - 1, missing: 1 } });
  const lines = (await readFile(path.join(folder, 'album.txt'), 'utf8')).trim().split('\n');
  expect(lines).toEqual(
    images().map((url, index) =>
      index + 1 === GONE
        ? `${GONE}. ${GONE}.png, missing: ${url} is gone`
        : `${index + 1}. ${index + 1}.png, ${index + 1} bytes`,
    ),
  );
});

test('each image is downloaded once, what failed once more, at most four at a time, begun in the order of the list', async () => {
  expect(asked.filter((url) => url !== '/list').length).toBe(COUNT + 1);
  expect(atOnce.most).toBeLessThanOrEqual(4);
  const runs = await fleet.runs(downloadImage);
  const begun = runs.filter(({ attempt }) => attempt === 1).map(({ startedAt }) => startedAt?.getTime() ?? 0);
  expect(begun).toEqual(begun.toSorted((one, other) => one - other));
  expect(new Set(await readdir(folder)).size).toBe(COUNT);
});

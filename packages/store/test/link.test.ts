import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { askForLife, openDatabase } from '../src/index.ts';
import { query } from '../src/postgres/database.ts';

/** How Postgres asks for a password: AuthenticationSASL, and after an answer AuthenticationSASLContinue. Then it waits. */
const STEPS = ['R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0', 'R\0\0\0\x0c\0\0\0\x0br=x,'];

function askForPassword(socket: Socket): void {
  const steps = STEPS.values();
  socket.on('data', () => {
    const { value } = steps.next();
    if (value !== undefined) socket.write(Buffer.from(value, 'latin1'));
  });
}

test('a connection for which there is no password is ended at once, and not left to Postgres', async () => {
  const server = createServer(askForPassword);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const db = openDatabase({ url: `postgres://nobody@127.0.0.1:${port}/none`, applicationName: 'test' });
  const opened: Promise<Socket[]> = once(server, 'connection');
  await expect(db.pool.query('SELECT 1')).rejects.toThrow('password');
  const [socket] = await opened;
  if (socket && !socket.closed) await once(socket, 'close');
  await db.close();
  server.close();
}, 10_000);

/** ReadyForQuery, outside of a transaction. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** Passes on what Postgres answers. After a division by zero it keeps back that Postgres is ready, until `goOn` is called. */
async function beforePostgres(url: string) {
  const { hostname, port } = new URL(url);
  let refused: () => void;
  let goOn: () => void;
  const reported = new Promise<void>((resolve) => {
    refused = resolve;
  });
  const mayGoOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const server = createServer((client) => {
    const postgres = connect(Number(port), hostname);
    client.on('error', () => undefined).pipe(postgres);
    let held = false;
    postgres
      .on('error', () => undefined)
      .on('data', (part) => {
        held ||= part.includes('division by zero');
        const ready = held ? part.lastIndexOf(READY) : -1;
        client.write(ready === -1 ? part : part.subarray(0, ready));
        if (held) refused();
        if (ready !== -1) void mayGoOn.then(() => client.write(part.subarray(ready)));
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const here = new URL(url);
  here.port = String(typeof address === 'object' ? address?.port : 0);
  return { url: here.href, reported, goOn: () => goOn(), close: () => server.close() };
}

test('a refused statement is over when Postgres has undone it', async () => {
  const between = await beforePostgres((await testDatabase()).url);
  const db = openDatabase({ url: between.url, applicationName: 'test', connections: 1 });
  let over = false;
  const refused = query(db.pool, 'refused', 'SELECT 1 / 0').finally(() => {
    over = true;
  });
  const rejected = expect(refused).rejects.toThrow('division by zero');
  await between.reported;
  // Each answer comes on the same way, later than the refusal.
  for (let turn = 0; turn < 5; turn++) await askForLife(db);
  expect(over).toBe(false);
  between.goOn();
  await rejected;
  await db.close();
  between.close();
});

import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openDatabase } from '../src/index.ts';

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

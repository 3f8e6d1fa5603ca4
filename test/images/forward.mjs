// node forward.mjs PORT=SOCKET ...: each port of 127.0.0.1 leads to a Unix socket, into another network. Says so once all listen.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

for (const [port, socket] of process.argv.slice(2).map((each) => each.split('='))) {
  const server = createServer((from) => {
    const to = connect(socket ?? '');
    from.pipe(to).pipe(from);
    from.on('error', () => to.destroy());
    to.on('error', () => from.destroy());
  });
  server.listen(Number(port), '127.0.0.1');
  await once(server, 'listening');
}
process.stdout.write('listens\n');

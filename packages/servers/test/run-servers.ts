// A process that owns servers, for tests that end it in every way: options as JSON in its argument.
import { ensureServers } from '@escapement/servers';

const servers = await ensureServers({
  compose: false,
  ...JSON.parse(process.argv[2] ?? '{}'),
  log: (line: string) => process.stdout.write(`${line}\n`),
  onGivenUp: ({ message }) => {
    process.stdout.write(`${message}\n`);
    process.exit(1);
  },
});
const staysAlive = setInterval(() => undefined, 60_000);
process.once('SIGTERM', async () => {
  await servers.stop();
  clearInterval(staysAlive);
});
// Last: whoever reads it may send the signal at once.
process.stdout.write(`ready ${JSON.stringify(servers)}\n`);

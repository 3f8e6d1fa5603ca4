import { SECOND } from '@escapement/core';

const staysAlive = setInterval(() => undefined, 60_000);
process.once('SIGTERM', () => {
  process.stderr.write('leaving\n');
  clearInterval(staysAlive);
  process.exitCode = 3;
});
process.stdout.write(`says ${process.argv[2]}, ${process.env.GREETING}, ${SECOND}\n`);

import { createLogger } from '@escapement/service';

/** Writes 100 MB of lines without waiting for a reader, tells by how much it grew, and ends with exit 7. */
const log = createLogger({ service: 'fixture' });
const line = 'x'.repeat(1000);
const before = process.memoryUsage.rss();
for (let batch = 0; batch < 100; batch++) {
  for (let i = 0; i < 1000; i++) log.info({ batch, i }, line);
  await new Promise((resolve) => setImmediate(resolve));
}
process.send?.({ grownMiB: (process.memoryUsage.rss() - before) / 1024 / 1024 });
await log.end();
process.exit(7);

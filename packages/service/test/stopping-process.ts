import { createLogger, runUntilSignal } from '@escapement/service';

/** A process that stops as its first argument says: well, never, or with an error of its own. */
const [, , mode] = process.argv;
const log = createLogger({ service: 'fixture' });
const alive = setInterval(() => undefined, 1000);

runUntilSignal({
  graceMs: mode === 'never' ? 60_000 : 1000,
  log,
  stop: () => {
    if (mode === 'never') return new Promise(() => undefined);
    clearInterval(alive);
    return Promise.resolve();
  },
});
log.info({}, 'ready');
if (mode === 'stray') Promise.reject(new Error('stray'));

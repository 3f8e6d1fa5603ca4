import { systemClock } from '@escapement/core';
import type { LogFields, ProcessLogger } from './logger.ts';
import { createServerWatch, type ServerWatch, type ServerWatchOptions, type WatchedServer } from './server-watch.ts';

/** Lines of a process, of which a server's outage makes two: one when it goes away, one when it answers again. */
export interface OutageLog {
  /** Where all lines are written. Those about an outage are held until it is clear that it is one. */
  readonly log: ProcessLogger;
  /** From now on errors of this server are judged. */
  watch(server: WatchedServer): void;
  /** Writes what is held; from then on lines are written as they come. */
  stop(): void;
}

/** `log`: where lines go in the end. */
export function createOutageLog({ log, ...options }: Omit<ServerWatchOptions, 'server'> & { log: ProcessLogger }) {
  const { clock = systemClock } = options;
  const watches: ServerWatch[] = [];
  const held = new Set<() => void>();
  let stopped = false;

  async function judge(suspects: readonly ServerWatch[], { who, error, write }: Held): Promise<void> {
    held.add(write);
    const trouble = { who, error, atMs: clock.monotonicMs() };
    let counted = false;
    for (const suspect of suspects) counted ||= await suspect.counts(trouble);
    if (held.delete(write) && !counted) write();
  }

  function logOnce(fields: LogFields, message: string, write: () => void): void {
    const who = String(fields.component ?? fields.check ?? message);
    const suspects = stopped ? [] : watches.filter(({ server }) => server.suspects(fields.err, who));
    if (suspects.length === 0) write();
    else void judge(suspects, { who, error: fields.err, write });
  }

  const outageLog: OutageLog = {
    log: {
      ...{ debug: log.debug.bind(log), info: log.info.bind(log), fatal: log.fatal.bind(log) },
      ...{ child: log.child.bind(log), end: log.end.bind(log) },
      warn: (fields, message) => logOnce(fields, message, () => log.warn(fields, message)),
      error: (fields, message) => logOnce(fields, message, () => log.error(fields, message)),
    },
    watch: (server) => void watches.push(createServerWatch({ ...options, log, server })),
    stop() {
      stopped = true;
      for (const watch of watches) watch.stop();
      for (const write of held) write();
      held.clear();
    },
  };
  return outageLog;
}

interface Held {
  who: string;
  error: unknown;
  write: () => void;
}

/** Watches whether a handler reports in time. */
export interface HeartbeatTimeout {
  /** The handler lives. */
  onReport(): void;
  stop(): void;
}

/** Calls `onTimeout` once when nothing has been heard for so long; without a limit never. */
export function watchHeartbeat(limitMs: number | undefined, onTimeout: () => void): HeartbeatTimeout {
  if (limitMs === undefined) return { onReport: () => undefined, stop: () => undefined };
  let reports = 0;
  let stopped = false;
  const timer = setTimeout(() => {
    const seen = reports;
    // After a block of this event loop the timer comes before the reports that lie in the pipe: one turn reads them.
    setImmediate(() => {
      if (!stopped && reports === seen) onTimeout();
    });
  }, limitMs);
  return {
    onReport() {
      reports += 1;
      // Cheap enough for each report; a timer that has fired starts anew.
      if (!stopped) timer.refresh();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

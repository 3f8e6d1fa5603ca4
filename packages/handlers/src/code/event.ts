/** What handlers of code tell besides their outcomes. */
export type HandlerEvent =
  /** An event loop did not turn: that of a handler's process, or that of the worker, with the runs inline in it. */
  | { event: 'loop_blocked'; where: 'handler' | 'worker'; runs: string[]; blockedMs: number }
  /** A run has left something behind in its process; the same of a task is told once. `then`: what becomes of the process. */
  | { event: 'leftovers'; run: string; task: string; what: string[]; then: string }
  /** A handler that runs inline threw outside its promise. `late`: after its run had ended. */
  | { event: 'stray_error'; run: string; task: string; late: boolean; error: Error };

export type OnHandlerEvent = (event: HandlerEvent) => void;

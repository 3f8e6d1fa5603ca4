/** The name of the worker that a run belongs to; null: to none. `run`: an alias with `need`. */
export const workerOf = (run: string): string => `worker_of(${run}.need)`;

/** Where programs are looked for if the worker itself has no PATH. */
export const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Of the small programs that the worker itself calls. */
export const HELPER_ENV = { PATH: DEFAULT_PATH };

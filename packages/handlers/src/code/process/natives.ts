import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * What the program of a process for handlers needs of JavaScript, as it was before the code of any task was loaded: a
 * task can replace all of it.
 */
const { Date: NativeDate, performance, process: own, setInterval } = globalThis;
const { apply } = Reflect;
const { unref } = setTimeout(() => undefined, 0).unref();

export const natives = {
  apply,
  is: Object.is,
  read: Reflect.get,
  defineProperty: Reflect.defineProperty,
  deleteProperty: Reflect.deleteProperty,
  describe: Reflect.getOwnPropertyDescriptor,
  ownKeys: Reflect.ownKeys,
  prototypeOf: Reflect.getPrototypeOf,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  /** Of this program alone: it counts as no leftover. */
  setOwnInterval: (callback: () => void, ms: number) => {
    const timer = setInterval(callback, ms);
    apply(unref, timer, []);
    return timer;
  },
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  send: own.send?.bind(own),
  exit: own.exit.bind(own),
  /** Also where a task has put another object there. */
  environment: () => own.env,
  cwd: own.cwd.bind(own),
  umask: own.umask.bind(own),
  activeResources: own.getActiveResourcesInfo.bind(own),
  getuid: own.getuid?.bind(own),
  getgid: own.getgid?.bind(own),
  eventNames: own.eventNames.bind(own),
  listenerCount: own.listenerCount.bind(own),
  open: openSync,
  close: closeSync,
  readdir: readdirSync,
  readlink: readlinkSync,
  readFile: readFileSync,
  now: () => new NativeDate(),
  monotonicMs: performance.now.bind(performance),
};

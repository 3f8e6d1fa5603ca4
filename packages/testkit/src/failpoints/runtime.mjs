// What the wrapped functions of a process under test call. Reads the control file at each call, synchronously: what
// was armed before a call counts for it.
import { appendFileSync, readFileSync } from 'node:fs';

/** @typedef {import('./patch.ts').Arming} Arming */
/** @typedef {(this: unknown, ...args: unknown[]) => unknown} Call */

/** @param {string} controlFile */
export function startRuntime(controlFile) {
  /** @type {Map<string, number>} */
  const fired = new Map();
  let lastText = '[]';
  /** @type {Arming[]} */
  let armings = [];

  function read() {
    try {
      const text = readFileSync(controlFile, 'utf8');
      if (text !== lastText) {
        armings = JSON.parse(text);
        lastText = text;
      }
    } catch {
      armings = [];
      lastText = '';
    }
    return armings;
  }

  /** @param {string} point */
  function armed(point) {
    return read().find((each) => each.point === point && (fired.get(each.id) ?? 0) < (each.times ?? 1));
  }

  /** @param {Arming} arming */
  function act(arming) {
    fired.set(arming.id, (fired.get(arming.id) ?? 0) + 1);
    appendFileSync(`${controlFile}.fired`, `${arming.id}\n`);
    return actions[arming.action](arming);
  }

  /** @type {(point: string, call: Call) => Call} */
  function wrapFunction(point, call) {
    return function (...args) {
      const arming = armed(point);
      return arming ? through(arming, () => call.apply(this, args)) : call.apply(this, args);
    };
  }

  /** @type {(arming: Arming, call: () => unknown) => unknown} */
  function through(arming, call) {
    if (arming.when === 'before') {
      const held = act(arming);
      return held ? held.then(call) : call();
    }
    const result = call();
    if (arming.when === 'during') {
      setImmediate(() => act(arming));
      return result;
    }
    if (!(result instanceof Promise)) {
      act(arming);
      return result;
    }
    return result.then(async (value) => {
      // Who was disarmed while the call took its time is no longer expected to act.
      if (read().some(({ id }) => id === arming.id)) await act(arming);
      return value;
    });
  }

  serveFailpoints(wrapFunction);
}

/**
 * What rewritten modules call as they are loaded.
 *
 * @param {(point: string, call: Call) => Call} wrapFunction
 */
export function serveFailpoints(wrapFunction) {
  Object.assign(globalThis, {
    [Symbol.for('escapement.failpoints')]: {
      /** @type {(point: string, call: Call, member?: string) => Call} */
      wrap: (point, call, member) =>
        member === undefined ? wrapFunction(point, call) : wrapMember(wrapFunction, point, call, member),
    },
  });
}

/** @type {(wrapFunction: (point: string, call: Call) => Call, point: string, create: Call, member: string) => Call} */
function wrapMember(wrapFunction, point, create, member) {
  return function (...args) {
    const made = /** @type {Record<string, Call>} */ (create.apply(this, args));
    const call = made[member];
    if (!call) throw new Error(`${point}: what was made has no ${member}`);
    made[member] = wrapFunction(point, call);
    return made;
  };
}

/** @type {Record<import('./patch.ts').Action, (arming: Arming) => Promise<unknown> | undefined>} */
const actions = {
  exit() {
    process.kill(process.pid, 'SIGKILL');
    return block(60_000);
  },
  freeze() {
    process.kill(process.pid, 'SIGSTOP');
    return undefined;
  },
  block: ({ ms = 0 }) => block(ms),
  hang: () => new Promise(() => {}),
  delay: ({ ms = 0 }) => new Promise((resolve) => setTimeout(resolve, ms)),
  throw({ point }) {
    throw new Error(`failpoint ${point}`);
  },
};

/** @param {number} ms */
function block(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return undefined;
}

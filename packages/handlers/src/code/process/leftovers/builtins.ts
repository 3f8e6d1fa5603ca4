import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import timers from 'node:timers';
import { natives } from '../natives.ts';

/** An object of JavaScript or Node, and what its properties were. */
interface Shot {
  name: string;
  object: object;
  keys: PropertyKey[];
  descriptors: PropertyDescriptor[];
  /** Which of them are getters or setters. */
  getters: boolean[];
  /** A further property counts. */
  closed: boolean;
  /** Its keys are listed each time. */
  isOften: boolean;
  /** Other properties than functions are state, which changes. */
  functionsOnly: boolean;
}

/** Objects that keep state of their own beside their functions. */
const WITH_STATE = ['process', 'console', 'fs', 'timers'];
/** Objects that gain methods in practice, by polyfills and extensions. */
const OFTEN_EXTENDED =
  /^(Object|Array|String|Function|Number|Promise|Date|Error|Map|Set|RegExp|Symbol|JSON|Math)(\.prototype)?$/;
/** To list the keys of an object, and to read a getter, costs most of a look. Of the others they are looked at in turns, once in so many runs. */
const TURNS = 8;
const OF_GLOBAL_SCOPE = 'globalThis';

/**
 * The objects that all code of a process shares: globals, constructors, their prototypes. Reads them by functions that were
 * taken before any task was loaded, and uses no method that a task can replace.
 */
export class Builtins {
  #shots = shoot();
  #turn = 0;

  /** Names of what is not as it was, such as `Array.prototype.map`; at most so many. */
  changed(most = 10): string[] {
    const names: string[] = [];
    this.#turn = (this.#turn + 1) % TURNS;
    for (let index = 0; index < this.#shots.length && names.length < most; index++) {
      const shot = this.#shots[index];
      if (shot !== undefined) lookAt(shot, names, shot.isOften || index % TURNS === this.#turn);
    }
    return names;
  }

  /** Puts back what was replaced, and removes what was added, as far as the code of the task allows it. */
  restore(): void {
    for (let index = 0; index < this.#shots.length; index++) {
      const shot = this.#shots[index];
      if (shot !== undefined) putBack(shot);
    }
  }

  /** From here on, this is how they should be. */
  adopt(): void {
    this.#shots = shoot();
  }
}

function shoot(): Shot[] {
  const shots: Shot[] = [];
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(globalThis))) {
    if (!isObject(value) || value === globalThis) continue;
    shots.push(shotOf(name, value));
    const prototype: unknown = typeof value === 'function' ? value.prototype : undefined;
    if (isObject(prototype)) shots.push(shotOf(`${name}.prototype`, prototype));
  }
  // Getters of the global scope, in some versions of Node.
  shots.push(shotOf('process', process), shotOf('Buffer', Buffer), shotOf('Buffer.prototype', Buffer.prototype));
  const elements: unknown = Object.getPrototypeOf(Uint8Array.prototype);
  if (isObject(elements)) shots.push(shotOf('TypedArray.prototype', elements));
  shots.push(shotOf('EventEmitter.prototype', EventEmitter.prototype), shotOf('fs', fs), shotOf('timers', timers));
  shots.push(shotOf(OF_GLOBAL_SCOPE, globalThis));
  return shots;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function shotOf(name: string, object: object): Shot {
  const functionsOnly = WITH_STATE.includes(name);
  const closed = !functionsOnly && name !== OF_GLOBAL_SCOPE;
  const keys: PropertyKey[] = [];
  const descriptors: PropertyDescriptor[] = [];
  const getters: boolean[] = [];
  for (const key of natives.ownKeys(object)) {
    const descriptor = natives.describe(object, key);
    if (!descriptor || (functionsOnly && typeof descriptor.value !== 'function')) continue;
    keys.push(key);
    descriptors.push(descriptor);
    getters.push(!('value' in descriptor));
  }
  return { name, object, keys, descriptors, getters, closed, isOften: OFTEN_EXTENDED.test(name), functionsOnly };
}

/** Adds to `names` what is not as it was. */
function lookAt(shot: Shot, names: string[], thorough: boolean): void {
  const { object, keys, descriptors, getters } = shot;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index];
    const before = descriptors[index];
    if (key === undefined || before === undefined || (getters[index] && !thorough)) continue;
    if (isAsBefore(object, key, before)) continue;
    names[names.length] = nameOf(shot, key);
  }
  if (thorough && shot.closed && natives.ownKeys(object).length > keys.length) addFurther(shot, names);
}

/** Some globals of Node are getters which make a property of themselves when they are first read. */
function isAsBefore(object: object, key: PropertyKey, before: PropertyDescriptor): boolean {
  if ('value' in before) return natives.is(natives.read(object, key), before.value);
  const now = natives.describe(object, key);
  if (now === undefined || now.get === before.get) return now !== undefined && now.set === before.set;
  return before.get !== undefined && 'value' in now && now.value === natives.apply(before.get, object, []);
}

function addFurther(shot: Shot, names: string[]): void {
  const now = natives.ownKeys(shot.object);
  for (let index = 0; index < now.length; index++) {
    const key = now[index];
    if (key !== undefined && !isIn(shot.keys, key)) names[names.length] = nameOf(shot, key);
  }
}

function isIn(keys: readonly PropertyKey[], key: PropertyKey): boolean {
  for (let index = 0; index < keys.length; index++) if (keys[index] === key) return true;
  return false;
}

function nameOf({ name }: Shot, key: PropertyKey): string {
  const word = typeof key === 'symbol' ? 'a symbol' : `${key}`;
  return name === OF_GLOBAL_SCOPE ? word : `${name}.${word}`;
}

function putBack({ object, keys, descriptors, closed }: Shot): void {
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index];
    const before = descriptors[index];
    if (key === undefined || before === undefined || isAsBefore(object, key, before)) continue;
    natives.defineProperty(object, key, before);
  }
  if (!closed) return;
  const now = natives.ownKeys(object);
  if (now.length === keys.length) return;
  for (let index = 0; index < now.length; index++) {
    const key = now[index];
    if (key !== undefined && !isIn(keys, key)) natives.deleteProperty(object, key);
  }
}

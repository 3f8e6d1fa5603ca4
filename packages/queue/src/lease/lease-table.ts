/**
 * The leases that this process holds, in memory that the main thread and the renewing thread share. No messages:
 * a lease taken just before the event loop blocks is known to the other thread all the same, and a loss is known
 * to the main thread the moment it looks.
 *
 * Layout: a word with the main loop's last sign of life, a word a lease (deadline and generation), a word a lease (until
 * when it is renewed), and a record a lease with the text that renewal needs.
 */
export interface LeaseTable {
  readonly memory: SharedArrayBuffer;
  readonly capacity: number;
  /** The last sign of life of the main loop, in milliseconds of `sharedNowMs`. */
  loopAliveMs(): number;
  noteLoopAlive(nowMs: number): void;
  word(index: number): LeaseWord;
  set(index: number, word: LeaseWord): void;
  /** Replaces the word if it is still the expected one. */
  swap(index: number, expected: LeaseWord, next: LeaseWord): boolean;
  renewUntilMs(index: number): number;
  setRenewUntil(index: number, ms: number): void;
  /** Writes all of an entry; the word last, since the other thread reads by it. */
  put(index: number, entry: LeaseEntry, word: LeaseWord): void;
  /** The Redis key and the value's beginning that mark the lease as ours. */
  text(index: number): { redisKey: string; owner: string };
}

export interface LeaseEntry {
  redisKey: string;
  owner: string;
  renewUntilMs: number;
}

/** `deadlineMs` 0: the place is free; 1: the lease was lost. The generation grows each time the place is used. */
export interface LeaseWord {
  deadlineMs: number;
  generation: number;
}

export const FREE = 0;
export const LOST = 1;

/** Longest Redis key plus owner, in bytes: a key has at most 512 characters of at most 3 bytes in UTF-8. */
export const MAX_TEXT_BYTES = 2048 - 4;

const HEADER_BYTES = 8;
const WORD_BYTES = 8;
// Equivalent mutant (constant): each record gets a byte that nobody reads.
const RECORD_BYTES = MAX_TEXT_BYTES + 4;
const GENERATION_BITS = 16n;
const GENERATION_MASK = (1n << GENERATION_BITS) - 1n;

/** Milliseconds on a scale that all threads of a process share; `performance.now()` begins anew in each. */
export function sharedNowMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

export function createLeaseMemory(capacity: number): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_BYTES + capacity * (2 * WORD_BYTES + RECORD_BYTES));
}

export function openLeaseTable(memory: SharedArrayBuffer): LeaseTable {
  // Equivalent mutant (arithmetic, -): twice the header is shorter than one place, and rounding drops it.
  const capacity = Math.floor((memory.byteLength - HEADER_BYTES) / (2 * WORD_BYTES + RECORD_BYTES));
  const header = new BigInt64Array(memory, 0, 1);
  const words = new BigInt64Array(memory, HEADER_BYTES, capacity);
  const untils = new BigInt64Array(memory, HEADER_BYTES + capacity * WORD_BYTES, capacity);
  const bytes = Buffer.from(memory);
  const recordsAt = HEADER_BYTES + 2 * capacity * WORD_BYTES;

  return {
    memory,
    capacity,
    loopAliveMs: () => Number(Atomics.load(header, 0)),
    noteLoopAlive: (nowMs) => void Atomics.store(header, 0, BigInt(nowMs)),
    word: (index) => unpack(Atomics.load(words, index)),
    set: (index, word) => void Atomics.store(words, index, pack(word)),
    swap: (index, expected, next) =>
      Atomics.compareExchange(words, index, pack(expected), pack(next)) === pack(expected),
    renewUntilMs: (index) => Number(Atomics.load(untils, index)),
    setRenewUntil: (index, ms) => void Atomics.store(untils, index, BigInt(Math.round(ms))),
    put(index, entry, word) {
      const at = recordsAt + index * RECORD_BYTES;
      const keyLength = bytes.write(entry.redisKey, at + 4);
      bytes.writeUInt16LE(keyLength, at);
      bytes.writeUInt16LE(bytes.write(entry.owner, at + 4 + keyLength), at + 2);
      Atomics.store(untils, index, BigInt(entry.renewUntilMs));
      Atomics.store(words, index, pack(word));
    },
    text(index) {
      const at = recordsAt + index * RECORD_BYTES;
      const keyEnd = at + 4 + bytes.readUInt16LE(at);
      const ownerEnd = keyEnd + bytes.readUInt16LE(at + 2);
      return { redisKey: bytes.toString('utf8', at + 4, keyEnd), owner: bytes.toString('utf8', keyEnd, ownerEnd) };
    },
  };
}

function pack({ deadlineMs, generation }: LeaseWord): bigint {
  return (BigInt(deadlineMs) << GENERATION_BITS) | (BigInt(generation) & GENERATION_MASK);
}

function unpack(word: bigint): LeaseWord {
  return { deadlineMs: Number(word >> GENERATION_BITS), generation: Number(word & GENERATION_MASK) };
}

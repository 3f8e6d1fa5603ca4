// What needs no library: for threads, each of which loads what it imports into a heap of its own.

export * from './clock.ts';
export * from './errors.ts';
export * from './lease-times.ts';

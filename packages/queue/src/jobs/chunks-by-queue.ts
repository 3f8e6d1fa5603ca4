/** What is of one queue together, in its order, at most `size` in a chunk. */
export function chunksByQueue<Ref extends { queue: string }>(
  refs: readonly Ref[],
  size: number,
): (readonly [queue: string, chunk: readonly Ref[]])[] {
  const byQueue = new Map<string, Ref[]>();
  for (const ref of refs) {
    const own = byQueue.get(ref.queue);
    if (own) own.push(ref);
    else byQueue.set(ref.queue, [ref]);
  }
  return [...byQueue].flatMap(([queue, own]) =>
    Array.from({ length: Math.ceil(own.length / size) }, (_, at) => {
      return [queue, own.slice(at * size, (at + 1) * size)] as const;
    }),
  );
}

/** A binary heap of things by the instant they are due; equal instants come out in no particular order. */
export interface DueHeap<Item> {
  readonly size: number;
  push(dueMs: number, item: Item): void;
  /** When the next one is due, or undefined if it is empty. */
  nextDueMs(): number | undefined;
  /** Takes the earliest out if it is due by then. */
  popDue(nowMs: number): Item | undefined;
  clear(): void;
}

interface Entry<Item> {
  dueMs: number;
  item: Item;
}

export function createDueHeap<Item>(): DueHeap<Item> {
  const entries: Entry<Item>[] = [];
  return {
    get size() {
      return entries.length;
    },
    push(dueMs, item) {
      entries.push({ dueMs, item });
      siftUp(entries);
    },
    nextDueMs: () => entries[0]?.dueMs,
    popDue(nowMs) {
      const first = entries[0];
      if (!first || first.dueMs > nowMs) return undefined;
      const last = entries.pop();
      if (last && entries.length > 0) {
        entries[0] = last;
        siftDown(entries);
      }
      return first.item;
    },
    clear: () => entries.splice(0),
  };
}

function siftUp<Item>(entries: Entry<Item>[]): void {
  let index = entries.length - 1;
  const moving = entries[index];
  if (!moving) return;
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = entries[parentIndex];
    if (!parent || parent.dueMs <= moving.dueMs) break;
    entries[index] = parent;
    index = parentIndex;
  }
  entries[index] = moving;
}

function siftDown<Item>(entries: Entry<Item>[]): void {
  let index = 0;
  const moving = entries[0];
  if (!moving) return;
  for (;;) {
    const left = entries[2 * index + 1];
    const right = entries[2 * index + 2];
    if (!left) break;
    const [child, childIndex] = right && right.dueMs < left.dueMs ? [right, 2 * index + 2] : [left, 2 * index + 1];
    if (child.dueMs >= moving.dueMs) break;
    entries[index] = child;
    index = childIndex;
  }
  entries[index] = moving;
}

import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createReader, type Reader } from './reader.ts';

let queries: QueryClient;
let reader: Reader;
let stop: () => void;
/** Requests that are not answered yet, the oldest first, and how many there were. */
let open: ((answer: number) => void)[];
let asked: number;

beforeEach(() => {
  queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } } });
  reader = createReader(queries);
  stop = reader.watch();
  [open, asked] = [[], 0];
});

afterEach(() => {
  stop();
  queries.clear();
});

/** A screen that shows runs. */
function shown(): () => number | undefined {
  const observer = new QueryObserver<number>(queries, {
    queryKey: ['runs', '/v1/runs', {}],
    queryFn: () => {
      asked += 1;
      return new Promise((resolve) => open.push(resolve));
    },
  });
  observer.subscribe(() => undefined);
  return () => observer.getCurrentResult().data;
}

async function answer(with_: number): Promise<void> {
  open.shift()?.(with_);
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
}

test('what an event is about is read anew', async () => {
  const runs = shown();
  await answer(1);
  reader.readAnew(['runs']);
  await answer(2);
  expect([runs(), asked]).toEqual([2, 2]);
});

test('what an event is not about stays', async () => {
  shown();
  await answer(1);
  reader.readAnew(['alerts']);
  await answer(2);
  expect(asked).toBe(1);
});

test('what is being read when an event comes is read once more, after its answer: that may be from before', async () => {
  const runs = shown();
  reader.readAnew(['runs']);
  reader.readAnew('all');
  expect(asked).toBe(1);
  await answer(1);
  expect([runs(), asked]).toEqual([1, 2]);
  await answer(2);
  expect([runs(), asked, open.length]).toEqual([2, 2, 0]);
});

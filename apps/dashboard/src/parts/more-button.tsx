import { Button } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';

type List = Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;

/** Reads the next page of a list, where there is one. */
export function MoreButton({ list, words }: { list: List; words: string }) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  if (!hasNextPage) return null;
  return (
    <div>
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {words}
      </Button>
    </div>
  );
}

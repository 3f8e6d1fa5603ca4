import { queryOptions } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { ApiAway, ApiProblem, problemOf } from '../../api/problem.ts';
import { OPEN_API } from '../../links.ts';

const told = z.object({ info: z.object({ version: z.string() }) });

/** The version of the API, as its document says. It is large, and the same for as long as the page is open. */
export const apiVersionQuery = queryOptions({
  queryKey: ['openapi', OPEN_API],
  staleTime: 'static',
  queryFn: async ({ signal }) => {
    const response = await fetch(OPEN_API, { signal }).catch((error: unknown) => {
      throw new ApiAway(error);
    });
    if (!response.ok) throw new ApiProblem(await problemOf(response));
    return told.parse(await response.json()).info.version;
  },
});

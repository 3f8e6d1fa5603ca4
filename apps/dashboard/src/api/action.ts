import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { forgetUndo } from '../undo/undo.ts';
import { isAbout, type Resource } from './keys.ts';
import { type Answer, type Given, type Method, type PathFor, request } from './request.ts';

type Acting = Exclude<Method, 'get'>;

export interface Action<M extends Acting, P extends PathFor<M>> {
  method: M;
  path: P;
  /** What is read anew once it is done. */
  touches: readonly Resource[] | 'all';
  /** It is given or answers with a secret, which is forgotten with the dialog that asks. Default false. */
  isSecret?: boolean;
}

/** What a hook of an act takes: what the operation is given, and headers, as `If-Match`. */
export type ActionGiven<M extends Acting, P extends PathFor<M>> = Given<M, P> & { headers?: Record<string, string> };

/** Makes the hook of an act: a mutation that knows which queries it makes stale. */
export function action<M extends Acting, P extends PathFor<M>>({
  method,
  path,
  touches,
  isSecret = false,
}: Action<M, P>) {
  return function useAct(): UseMutationResult<Answer<M, P>, Error, ActionGiven<M, P>> {
    const queries = useQueryClient();
    return useMutation<Answer<M, P>, Error, ActionGiven<M, P>>({
      mutationFn: ({ headers = {}, ...given }) => request(method, path, given as Given<M, P>, { headers }),
      // Of the one before it.
      onMutate: forgetUndo,
      ...(isSecret ? { gcTime: 0 } : {}),
      onSuccess: () => queries.invalidateQueries({ predicate: ({ queryKey }) => isAbout(queryKey, touches) }),
    });
  };
}

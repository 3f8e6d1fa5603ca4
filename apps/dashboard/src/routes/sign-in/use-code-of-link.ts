import { useEffect, useRef } from 'react';
import { useSignInByCode } from '../../actions/session.ts';

const CODE = /^#code=([\w-]+)$/;

/** Signs in by the code of a link. It stands behind `#`, so that no server sees it, and is taken out of the address at once. */
export function useCodeOfLink(onDone: () => void): { isPending: boolean; error: Error | null } {
  const { mutate, isPending, error } = useSignInByCode();
  const done = useRef(onDone);
  done.current = onDone;
  useEffect(() => {
    const [, code] = CODE.exec(location.hash) ?? [];
    if (code === undefined) return;
    history.replaceState(history.state, '', location.pathname + location.search);
    mutate({ body: { code } }, { onSuccess: () => done.current() });
  }, [mutate]);
  return { isPending, error };
}

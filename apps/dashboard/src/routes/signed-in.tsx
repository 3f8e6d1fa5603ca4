import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createRoute, redirect } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { isAbout } from '../api/keys.ts';
import { Live, useLive } from '../api/live/live.tsx';
import { lazyPart } from '../api/load-part.ts';
import { isSignedOut } from '../api/problem.ts';
import { toSignIn } from '../links.ts';
import { meQuery } from '../me/me.ts';
import { onOtherTabs } from '../me/other-tabs.ts';
import { SessionOver } from '../me/session-over.ts';
import { Shell } from '../shell/shell.tsx';
import { usePreload } from '../shell/use-preload.ts';
import { rootRoute } from './root.tsx';

const SignInAgain = lazyPart(() => import('./sign-in/sign-in-again.tsx'));

/** Above every screen that shows something: whoever is not signed in goes to sign in, and comes back. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context: { queries }, location }) => {
    try {
      await queries.ensureQueryData(meQuery);
    } catch (error) {
      if (isSignedOut(error)) throw redirect(toSignIn(location.href));
      throw error;
    }
  },
  component: SignedIn,
});

/** A session may end while its page is open. Then one signs in before it, and goes on: nothing that was typed is lost. */
function SignedIn() {
  const { data, error } = useQuery(meQuery);
  const isOver = isSignedOut(error);
  const queries = useQueryClient();
  useEffect(() => onOtherTabs(() => void queries.invalidateQueries({ queryKey: meQuery.queryKey })), [queries]);
  usePreload(SignInAgain);
  if (!useIsSame(data?.principal.id)) return null;
  return (
    <Live>
      <SessionOver value={isOver}>
        <div hidden={isOver}>
          <Shell />
        </div>
      </SessionOver>
      <Suspense fallback={null}>{isOver ? <SignInAgain /> : null}</Suspense>
      <ListenAgain isOver={isOver} />
    </Live>
  );
}

/** What one has read and typed is not for whoever signs in after them: for a moment nothing is there, and then all is read anew. */
function useIsSame(id: string | undefined): boolean {
  const queries = useQueryClient();
  const [owner, setOwner] = useState(id);
  useEffect(() => {
    if (id === owner) return;
    queries.removeQueries({ predicate: ({ queryKey }) => !isAbout(queryKey, ['me']) });
    setOwner(id);
  }, [id, owner, queries]);
  return id === owner;
}

/** The stream of events ended with the session. */
function ListenAgain({ isOver }: { isOver: boolean }) {
  const { resume } = useLive();
  const wasOver = useRef(false);
  useEffect(() => {
    if (wasOver.current && !isOver) resume();
    wasOver.current = isOver;
  });
  return null;
}

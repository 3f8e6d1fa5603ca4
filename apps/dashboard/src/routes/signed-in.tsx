import { useQuery } from '@tanstack/react-query';
import { createRoute, redirect, useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Live } from '../api/live/live.tsx';
import { isSignedOut } from '../api/problem.ts';
import { toSignIn } from '../links.ts';
import { meQuery } from '../me/me.ts';
import { Shell } from '../shell/shell.tsx';
import { rootRoute } from './root.tsx';

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

function SignedIn() {
  useLeaveWhenOver();
  return (
    <Live>
      <Shell />
    </Live>
  );
}

/** A session may end while its page is open. */
function useLeaveWhenOver(): void {
  const { error } = useQuery(meQuery);
  const navigate = useNavigate();
  const href = useRouterState({ select: ({ location }) => location.href });
  const isOver = isSignedOut(error);
  useEffect(() => {
    if (isOver) void navigate(toSignIn(href));
  }, [isOver, navigate, href]);
}

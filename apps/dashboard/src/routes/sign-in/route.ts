import { createRoute } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { lazyScreen } from '../../api/load-part.ts';
import { rootRoute } from '../root.tsx';

const search = z.object({
  /** A path of this server. */
  returnTo: z.catch(z.optional(z.string().check(z.regex(/^\/(?![/\\])/))), undefined),
});

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: search,
  component: lazyScreen(() => import('./screen.tsx'), 'SignInScreen'),
});

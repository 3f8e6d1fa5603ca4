import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { signedInRoute } from '../signed-in.tsx';

const search = z.object({
  /** `?wall`, for a screen on a wall: nothing around it, and larger. */
  wall: z.catch(z.optional(z.union([z.boolean(), z.literal('')])), undefined),
});

export const nowRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  validateSearch: search,
  component: lazyRouteComponent(() => import('./screen.tsx'), 'NowScreen'),
});

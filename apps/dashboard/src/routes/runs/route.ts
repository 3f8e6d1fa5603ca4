import { createRoute } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';

const search = z.object({
  /** As `escapement runs list` takes it. */
  query: z.catch(z.optional(z.string()), undefined),
});

export const runsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/runs',
  validateSearch: search,
  component: lazyScreen(() => import('./screen.tsx'), 'RunsScreen'),
});

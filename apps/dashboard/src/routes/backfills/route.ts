import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';
import { backfillsSearch } from './search.ts';

export const backfillsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/backfills',
  validateSearch: backfillsSearch,
  component: lazyRouteComponent(() => import('./screen.tsx'), 'BackfillsScreen'),
});

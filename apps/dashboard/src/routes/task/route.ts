import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';
import { taskSearch } from './search.ts';

export const taskRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/tasks/$id',
  validateSearch: taskSearch,
  component: lazyRouteComponent(() => import('./screen.tsx'), 'TaskScreen'),
});

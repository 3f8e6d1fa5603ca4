import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';

export const taskRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/tasks/$id',
  component: lazyRouteComponent(() => import('./screen.tsx'), 'TaskScreen'),
});

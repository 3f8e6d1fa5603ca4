import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';

export const runRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/runs/$id',
  component: lazyRouteComponent(() => import('./screen.tsx'), 'RunScreen'),
});

import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';

export const fleetRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/fleet',
  component: lazyRouteComponent(() => import('./screen.tsx'), 'FleetScreen'),
});

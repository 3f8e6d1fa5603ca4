import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';
import { alertingSearch } from './search.ts';

export const alertingRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/alerting',
  validateSearch: alertingSearch,
  component: lazyRouteComponent(() => import('./screen.tsx'), 'AlertingScreen'),
});

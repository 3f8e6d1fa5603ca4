import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';
import { alertsSearch } from './search.ts';

export const alertsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/alerts',
  validateSearch: alertsSearch,
  component: lazyRouteComponent(() => import('./screen.tsx'), 'AlertsScreen'),
});

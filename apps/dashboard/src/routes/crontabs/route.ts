import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';
import { crontabsSearch } from './search.ts';

export const crontabsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/crontabs',
  validateSearch: crontabsSearch,
  component: lazyRouteComponent(() => import('./screen.tsx'), 'CrontabsScreen'),
});

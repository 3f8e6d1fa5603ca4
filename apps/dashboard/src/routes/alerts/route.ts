import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';
import { alertsSearch } from './search.ts';

export const alertsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/alerts',
  validateSearch: alertsSearch,
  component: lazyScreen(() => import('./screen.tsx'), 'AlertsScreen'),
});

import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';
import { alertingSearch } from './search.ts';

export const alertingRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/alerting',
  validateSearch: alertingSearch,
  component: lazyScreen(() => import('./screen.tsx'), 'AlertingScreen'),
});

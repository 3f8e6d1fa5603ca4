import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';
import { recoverySearch } from './search.ts';

export const recoveryRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/recovery',
  validateSearch: recoverySearch,
  component: lazyRouteComponent(() => import('./screen.tsx'), 'RecoveryScreen'),
});

import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';
import { errorsSearch } from './search.ts';

export const errorsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/errors',
  validateSearch: errorsSearch,
  component: lazyRouteComponent(() => import('./screen.tsx'), 'ErrorsScreen'),
});

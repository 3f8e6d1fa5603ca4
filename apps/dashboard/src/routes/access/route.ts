import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';
import { accessSearch } from './search.ts';

export const accessRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/access',
  validateSearch: accessSearch,
  component: lazyRouteComponent(() => import('./screen.tsx'), 'AccessScreen'),
});

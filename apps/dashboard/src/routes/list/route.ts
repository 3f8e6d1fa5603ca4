import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';
import { listSearch } from './search.ts';

export const listRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/lists/$name',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('./screen.tsx'), 'ListScreen'),
});

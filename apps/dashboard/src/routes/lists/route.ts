import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';

export const listsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/lists',
  component: lazyRouteComponent(() => import('./screen.tsx'), 'ListsScreen'),
});

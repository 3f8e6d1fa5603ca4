import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';

export const aboutRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/about',
  component: lazyRouteComponent(() => import('./screen.tsx'), 'AboutScreen'),
});

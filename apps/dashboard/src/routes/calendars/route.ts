import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';

export const calendarsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/calendars',
  component: lazyRouteComponent(() => import('./screen.tsx'), 'CalendarsScreen'),
});

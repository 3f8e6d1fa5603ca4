import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';

export const editCalendarRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/calendars/$name/edit',
  component: lazyRouteComponent(() => import('./screen.tsx'), 'EditCalendarScreen'),
});

export const newCalendarRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/new-calendar',
  component: lazyRouteComponent(() => import('./screen.tsx'), 'NewCalendarScreen'),
});

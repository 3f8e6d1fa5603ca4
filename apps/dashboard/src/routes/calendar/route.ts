import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';
import { calendarSearch } from './search.ts';

export const calendarRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/calendars/$name',
  validateSearch: calendarSearch,
  component: lazyRouteComponent(() => import('./screen.tsx'), 'CalendarScreen'),
});

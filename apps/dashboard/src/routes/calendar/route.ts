import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';
import { calendarSearch } from './search.ts';

export const calendarRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/calendars/$name',
  validateSearch: calendarSearch,
  component: lazyScreen(() => import('./screen.tsx'), 'CalendarScreen'),
});

import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';

export const editCalendarRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/calendars/$name/edit',
  component: lazyScreen(() => import('./screen.tsx'), 'EditCalendarScreen'),
});

export const newCalendarRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/new-calendar',
  component: lazyScreen(() => import('./screen.tsx'), 'NewCalendarScreen'),
});

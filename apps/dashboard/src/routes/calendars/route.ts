import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';

export const calendarsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/calendars',
  component: lazyScreen(() => import('./screen.tsx'), 'CalendarsScreen'),
});

import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';

export const fleetRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/fleet',
  component: lazyScreen(() => import('./screen.tsx'), 'FleetScreen'),
});

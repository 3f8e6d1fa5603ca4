import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';

export const runRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/runs/$id',
  component: lazyScreen(() => import('./screen.tsx'), 'RunScreen'),
});

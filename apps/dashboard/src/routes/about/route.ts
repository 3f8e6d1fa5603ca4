import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';

export const aboutRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/about',
  component: lazyScreen(() => import('./screen.tsx'), 'AboutScreen'),
});

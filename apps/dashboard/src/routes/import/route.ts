import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';

export const importRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/import',
  component: lazyScreen(() => import('./screen.tsx'), 'ImportScreen'),
});

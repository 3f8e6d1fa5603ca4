import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';

export const listsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/lists',
  component: lazyScreen(() => import('./screen.tsx'), 'ListsScreen'),
});

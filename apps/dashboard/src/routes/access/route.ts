import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';
import { accessSearch } from './search.ts';

export const accessRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/access',
  validateSearch: accessSearch,
  component: lazyScreen(() => import('./screen.tsx'), 'AccessScreen'),
});

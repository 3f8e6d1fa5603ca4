import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';
import { keySearch } from './search.ts';

export const keyRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/key',
  validateSearch: keySearch,
  component: lazyScreen(() => import('./screen.tsx'), 'KeyScreen'),
});

import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';
import { listSearch } from './search.ts';

export const listRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/lists/$name',
  validateSearch: listSearch,
  component: lazyScreen(() => import('./screen.tsx'), 'ListScreen'),
});

import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';
import { taskSearch } from './search.ts';

export const taskRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/tasks/$id',
  validateSearch: taskSearch,
  component: lazyScreen(() => import('./screen.tsx'), 'TaskScreen'),
});

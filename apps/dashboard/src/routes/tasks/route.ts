import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';
import { tasksSearch } from './search.ts';

export const tasksRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/tasks',
  validateSearch: tasksSearch,
  component: lazyScreen(() => import('./screen.tsx'), 'TasksScreen'),
});

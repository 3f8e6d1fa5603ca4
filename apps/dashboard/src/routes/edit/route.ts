import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';

export const editRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/tasks/$id/edit',
  component: lazyScreen(() => import('./screen.tsx'), 'EditScreen'),
});

export const newTaskRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/new-task',
  component: lazyScreen(() => import('./screen.tsx'), 'NewTaskScreen'),
});

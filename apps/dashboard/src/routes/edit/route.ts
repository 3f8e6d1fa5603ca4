import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';

export const editRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/tasks/$id/edit',
  component: lazyRouteComponent(() => import('./screen.tsx'), 'EditScreen'),
});

export const newTaskRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/new-task',
  component: lazyRouteComponent(() => import('./screen.tsx'), 'NewTaskScreen'),
});

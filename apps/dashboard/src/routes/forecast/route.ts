import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../signed-in.tsx';
import { forecastSearch } from './search.ts';

export const forecastRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/forecast',
  validateSearch: forecastSearch,
  component: lazyRouteComponent(() => import('./screen.tsx'), 'ForecastScreen'),
});

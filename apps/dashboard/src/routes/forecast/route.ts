import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';
import { forecastSearch } from './search.ts';

export const forecastRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/forecast',
  validateSearch: forecastSearch,
  component: lazyScreen(() => import('./screen.tsx'), 'ForecastScreen'),
});

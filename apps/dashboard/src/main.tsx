import './theme/layers.css';
import './theme/kit.css';
import './theme/tokens.css';
import './theme/base.css';
import { createTheme, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { createAppRouter, loadAhead } from './router.tsx';

const queries = createQueryClient();
const router = createAppRouter(queries);
loadAhead(router, queries);
const theme = createTheme({
  respectReducedMotion: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  // A list that is closed is not there: else each has the browser lay out the page once more when it is drawn first.
  components: { Combobox: { defaultProps: { keepMounted: false } } },
});

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      {/* No styles in the page: its policy allows those of files alone. The variables are in theme/tokens.css. */}
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        withCssVariables={false}
        withGlobalClasses={false}
        withStaticClasses={false}
      >
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );

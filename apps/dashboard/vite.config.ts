import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed } from './build/compressed.ts';
import { kitStyles } from './build/kit-styles.ts';

const API = 'http://localhost:4747';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), compressed(), kitStyles()],
  build: {
    target: 'es2022',
    outDir: 'dist/site',
    emptyOutDir: true,
    // Files, no `data:` URLs: the page's policy allows those of this server alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // React in a file of its own: it stays in caches when the dashboard is updated, and is read beside ours.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// }] } },
    },
  },
  // For who works on the dashboard: `npx vite` in this folder, with the API of `npm run dev`.
  server: { port: 5173, proxy: { '/v1': API, '/openapi.json': API } },
});

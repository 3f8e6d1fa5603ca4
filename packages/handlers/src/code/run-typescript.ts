import { register } from 'node:module';

let registered = false;

/**
 * Has this process run TypeScript: `.ts` and `.mts` modules, those that they import, and enums and other syntax that Node's own
 * stripping of types refuses. What brings a loader of its own, as `npm run dev` does, keeps it.
 */
export function runTypeScript(): void {
  // From source, this very module needs a loader.
  if (registered || import.meta.url.endsWith('.ts')) return;
  registered = true;
  register(new URL('./typescript-hooks.js', import.meta.url));
}

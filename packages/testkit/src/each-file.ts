import { afterAll } from 'vitest';
import { cleanUpFile } from './clean-up.ts';
import { installFailpoints } from './failpoints/in-process.ts';

// Vitest runs this before each test file, also where files share a process and its modules. Registered first of all hooks, so
// that it runs last: vitest runs after-hooks in reverse.
afterAll(cleanUpFile);
installFailpoints();

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Plugin } from 'vite';

/** Names of the kit's classes: short hashes. */
const CLASS = /\bm_[0-9a-f]{6,8}\b/g;

/**
 * Fails a build that uses a part of the kit whose styles are not among those of theme/kit.css: the part would be there, and look like
 * nothing.
 */
export function kitStyles(): Plugin {
  return {
    name: 'kit-styles',
    apply: 'build',
    writeBundle(_options, bundle) {
      const all = classesIn(readFileSync(createRequire(import.meta.url).resolve('@mantine/core/styles.css'), 'utf8'));
      const files = Object.values(bundle);
      const styled = classesIn(
        files
          .map((file) => (file.type === 'asset' && file.fileName.endsWith('.css') ? String(file.source) : ''))
          .join(),
      );
      const used = classesIn(files.map((file) => (file.type === 'chunk' ? file.code : '')).join());
      const missing = [...used].filter((name) => all.has(name) && !styled.has(name));
      if (missing.length > 0)
        this.error(
          `theme/kit.css lacks the styles of ${missing.join(', ')}: grep for them in @mantine/core/styles, and import those files`,
        );
    },
  };
}

function classesIn(text: string): Set<string> {
  return new Set(text.match(CLASS));
}

// An index brings all of its package. Here each import from one becomes an import from the module that has the name, so that
// a command loads what it needs.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const IMPORT = /^import \{([^}]*)\} from '([^']+)';$/gm;
const DECLARED = /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class) (\w+)/gm;
const LISTED = /^export \{([^}]*)\}(?: from '([^']+)')?;$/gm;
const ALL = /^export \* from '([^']+)';$/gm;

/** @type {Map<string, Map<string, string>>} By file: in which file each name that it exports is declared. */
const known = new Map();

/**
 * The text of a module, with its imports by index made direct.
 *
 * @param {string} text
 * @param {string} file
 * @param {string} root
 */
export function withDirectImports(text, file, root) {
  return text.replace(IMPORT, (whole, names, from) => {
    const index = indexOf(from, file, root);
    if (!index) return whole;
    const places = exportsOf(index, root);
    return namesIn(names)
      .map((name) => `import { ${name} } from '${placeOf(places.get(name.split(' as ')[0] ?? '') ?? index, file)}';`)
      .join(' ');
  });
}

/**
 * @param {string} from
 * @param {string} file
 * @param {string} root
 */
function indexOf(from, file, root) {
  const [, name, part = ''] = /^@escapement\/([\w-]+)(\/\w+)?$/.exec(from) ?? [];
  const index = name
    ? path.join(root, 'packages', name, 'src', part, 'index.ts')
    : path.resolve(path.dirname(file), from);
  return (name || from.endsWith('/index.ts')) && existsSync(index) ? index : undefined;
}

/** @param {string} names */
function namesIn(names) {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}

/**
 * @param {string} file
 * @param {string} root
 * @returns {Map<string, string>}
 */
function exportsOf(file, root) {
  const before = known.get(file);
  if (before) return before;
  /** @type {Map<string, string>} */
  const places = new Map();
  known.set(file, places);
  const text = readFileSync(file, 'utf8');
  for (const [, name = ''] of text.matchAll(DECLARED)) places.set(name, file);
  for (const [, names = '', from] of text.matchAll(LISTED))
    for (const name of namesIn(names))
      places.set(...listed(name, from ? moduleOf(from, file, root) : file, { file, root }));
  for (const [, from = ''] of text.matchAll(ALL))
    for (const [name, place] of exportsOf(moduleOf(from, file, root), root)) places.set(name, place);
  return places;
}

/**
 * The module that an index takes its exports from: beside it, or the index of another package.
 *
 * @param {string} from
 * @param {string} file
 * @param {string} root
 */
function moduleOf(from, file, root) {
  return indexOf(from, file, root) ?? path.resolve(path.dirname(file), from);
}

/**
 * One that is exported under another name stays with the file that gives it that name.
 *
 * @param {string} name
 * @param {string} from
 * @param {{ file: string, root: string }} index
 * @returns {[name: string, place: string]}
 */
function listed(name, from, { file, root }) {
  if (name.includes(' as ')) return [name.split(' as ')[1] ?? '', file];
  return [name, from === file ? file : (exportsOf(from, root).get(name) ?? from)];
}

/**
 * @param {string} place
 * @param {string} file
 */
function placeOf(place, file) {
  const relative = path.relative(path.dirname(file), place).split(path.sep).join('/');
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/**
 * The source of a module with its patches and failpoints. Function declarations are bindings that can be assigned, so
 * that one line at the end wraps a function for its importers and for its own module, and no line moves.
 *
 * Throws where a function or a text is not there: a test that arms what does not exist would prove nothing.
 *
 * @param {string} path
 * @param {string} source
 * @param {Pick<import('./patch.ts').LoaderData, 'failpoints' | 'patches'>} changes
 */
export function rewrite(path, source, { failpoints, patches }) {
  let text = source;
  for (const { module, find, replace } of patches) {
    if (!path.endsWith(`/${module}`)) continue;
    const changed = text.replace(new RegExp(find, 'g'), () => replace);
    if (changed === text) throw new Error(`${module} has no ${JSON.stringify(find)} to take away`);
    text = changed;
  }
  for (const { module, name } of failpoints) {
    if (path.endsWith(`/${module}`)) text += wrapLine(module, name, source);
  }
  return text;
}

/**
 * @param {string} module
 * @param {string} name
 * @param {string} source
 */
function wrapLine(module, name, source) {
  const [owner = '', member] = name.split('.');
  if (!new RegExp(`^(?:export )?(?:async )?function ${owner}\\b`, 'm').test(source))
    throw new Error(`${module} declares no function ${owner}`);
  if (member !== undefined && !new RegExp(`\\b${member}\\b`).test(source))
    throw new Error(`${module} has nothing called ${member}`);
  const runtime = "globalThis[Symbol.for('escapement.failpoints')]";
  return `\n;${owner} = ${runtime}?.wrap(${JSON.stringify(`${module}#${name}`)}, ${owner}, ${JSON.stringify(member)}) ?? ${owner};`;
}

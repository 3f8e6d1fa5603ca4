/** Whether a name is among these; one that ends in `*` stands for all that begin so. */
export function isSecretName(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
}

/** The values that tasks may refer to, by name: the part of the environment that the rules open. An empty value counts as absent. */
export function secretsFrom(
  env: Readonly<Record<string, string | undefined>>,
  { rules }: { rules: readonly { pattern: string }[] },
): ReadonlyMap<string, string> {
  const patterns = rules.map(({ pattern }) => pattern);
  const secrets = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) if (value && isSecretName(name, patterns)) secrets.set(name, value);
  return secrets;
}

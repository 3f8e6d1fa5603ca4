/** Names of variables; one that ends in `*` stands for all that begin so. */
export type SecretPatterns = readonly string[];

export function isSecretName(name: string, patterns: SecretPatterns): boolean {
  return patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
}

/** The values that tasks may refer to, by name: the part of the environment that the patterns open. */
export function secretsFrom(
  env: Readonly<Record<string, string | undefined>>,
  patterns: SecretPatterns,
): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && isSecretName(name, patterns)) secrets.set(name, value);
  return secrets;
}

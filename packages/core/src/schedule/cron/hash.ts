/** FNV-1a, 32 bits: stable for ever, on every machine. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  // The low bits of FNV follow the last characters; task names often differ only there.
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  return hash >>> 0;
}

/** A number in [0, count) that is the same for the same seed and purpose. */
export function spread(seed: string, purpose: string, count: number): number {
  return hash32(`${purpose}:${seed}`) % count;
}

/** `image: postgres:18.4-bookworm` of a compose file, `FROM node:24.11.1-bookworm-slim` of a Dockerfile; pinned before or not. */
const IMAGE = /^(\s*image: |FROM )([a-z0-9/._-]+:[A-Za-z0-9._-]+)(?:@sha256:[0-9a-f]{64})?(?=\s|$)/gm;

/**
 * A compose file or Dockerfile whose images have the digests that stand behind their tags now. The tag stays, for people.
 * Throws for what is no digest, and changes nothing then.
 */
export function pinned(text: string, digestOf: (image: string) => string): string {
  return text.replace(IMAGE, (_, before: string, image: string) => {
    const digest = digestOf(image);
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${image} has no digest, but ${JSON.stringify(digest)}`);
    return `${before}${image}@${digest}`;
  });
}

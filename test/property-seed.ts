import fc from 'fast-check';

/**
 * Property tests look at the same cases each time, so that a red test is about the change at hand.
 * `PROPERTY_SEED=random npx vitest run --project unit` looks at others; any integer is a seed of its own.
 */
const seed = process.env.PROPERTY_SEED ?? '1';
if (seed !== 'random') fc.configureGlobal({ seed: Number.parseInt(seed, 10) });

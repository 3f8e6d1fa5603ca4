export { compareChain } from './chain.ts';
export { compareOccurrences } from './compare.ts';
export { expectedFires } from './expected.ts';
export * from './question.ts';

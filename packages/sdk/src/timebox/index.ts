export { ESTIMATES, type Estimate } from './duration-estimate.ts';
export { type RunTimeboxOptions, runTimebox } from './run-timebox.ts';
export {
  type TimeboxAlgorithm,
  type TimeboxOperator,
  type TimeboxOptions,
  type TimeboxResult,
  type TimeboxTurn,
  timebox,
} from './timebox.ts';

/** How the history is divided. */
export type By = 'day' | 'hour';

import { KEPT_DAYS, MOST_KEPT_DAYS } from '@escapement/core';

/** SQL: how many days the runs of a task are kept. Of a definition that a hostile or later program wrote, within the bounds. */
export const keptDays = (task: string): string =>
  `least(greatest(coalesce((${task}.definition->>'retentionDays')::integer, ${KEPT_DAYS}), 1), ${MOST_KEPT_DAYS})`;

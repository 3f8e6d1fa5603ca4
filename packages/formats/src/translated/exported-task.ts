import type { TaskDefinition } from '@escapement/core';

/** A task that is to be written in another format. */
export interface ExportedTask {
  definition: TaskDefinition;
  paused: boolean;
}

/** A task that another format cannot express, and why. */
export interface LeftTask {
  name: string;
  reason: string;
}

import type { Tool } from '../tool.ts';
import { cancelRunTool, pauseTaskTool, rerunRunTool, resumeTaskTool, triggerTaskTool } from './changes.ts';
import { explainScheduleTool } from './explain-schedule.ts';
import { examineFleetTool, getForecastTool, listErrorsTool } from './fleet.ts';
import { getRunLogTool, getRunTool, searchRunsTool } from './runs.ts';
import { getTaskTool, listTasksTool, previewTaskChangeTool } from './tasks.ts';

/** All tools, in the order in which they are listed: those that only read come first. */
export const TOOLS: readonly Tool[] = [
  listTasksTool,
  getTaskTool,
  explainScheduleTool,
  previewTaskChangeTool,
  searchRunsTool,
  getRunTool,
  getRunLogTool,
  listErrorsTool,
  getForecastTool,
  examineFleetTool,
  triggerTaskTool,
  pauseTaskTool,
  resumeTaskTool,
  cancelRunTool,
  rerunRunTool,
];

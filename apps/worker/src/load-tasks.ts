import { loadTaskModules } from '@escapement/handlers';
import type { TaskModule } from '@escapement/sdk';
import type { Logger } from '@escapement/service';

/** The tasks of these folders and modules. What cannot be loaded is reported and does not hold the others up. */
export async function loadTasks(paths: readonly string[], log: Logger): Promise<TaskModule[]> {
  const tasks = new Map<string, TaskModule>();
  for (const path of paths) {
    const loaded = await loadTaskModules(path);
    for (const problem of loaded.problems) log.error({ code: problem.code, fix: problem.fix }, problem.message);
    for (const task of loaded.tasks) {
      if (tasks.has(task.name)) log.error({ task: task.name, path }, 'task is defined twice; the first one counts');
      else tasks.set(task.name, task);
    }
  }
  return [...tasks.values()];
}

import { type LoadedTask, loadTaskModules } from '@escapement/handlers';
import type { Logger } from '@escapement/service';

/** The tasks of these folders and modules. What cannot be loaded is reported and does not hold the others up. */
export async function loadTasks(paths: readonly string[], log: Logger): Promise<LoadedTask[]> {
  const tasks = new Map<string, LoadedTask>();
  for (const path of paths) {
    const loaded = await loadTaskModules(path);
    for (const problem of loaded.problems) log.error({ code: problem.code, fix: problem.fix }, problem.message);
    for (const found of loaded.tasks) {
      const { name } = found.task;
      if (tasks.has(name)) log.error({ task: name, path }, 'task is defined twice; the first one counts');
      else tasks.set(name, found);
    }
  }
  return [...tasks.values()];
}

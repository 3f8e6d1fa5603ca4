import { taskJsonSchema } from '@escapement/core';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { toJson } from '../output/print.ts';

export function addSchema(program: Command, context: Context): void {
  program
    .command('schema')
    .description('print the JSON Schema of the files that `apply` reads, for editors')
    .action(() => context.output.text(`${toJson(fileSchema())}\n`));
}

/** A file's document is a task, a list of tasks, or `{ tasks: [...] }`. */
export function fileSchema(): object {
  const { $schema, ...task } = taskJsonSchema();
  const tasks = { type: 'array', items: { $ref: '#/$defs/task' } };
  return {
    $schema,
    title: 'Tasks of Escapement',
    $defs: { task },
    anyOf: [
      { $ref: '#/$defs/task' },
      tasks,
      { type: 'object', properties: { tasks }, required: ['tasks'], additionalProperties: false },
    ],
  };
}

import { readFileSync } from 'node:fs';
import {
  type Copy,
  DockerfileParser,
  type Env,
  type From,
  type Instruction,
  type JSONInstruction,
} from 'dockerfile-ast';

/** What an instruction of a Dockerfile does, of those that ours use. */
export type Step =
  | { kind: 'run'; script: string; cached: string[] }
  | { kind: 'copy'; from: string | null; source: string; target: string }
  | { kind: 'workdir'; path: string }
  | { kind: 'env'; values: [name: string, value: string][] };

/** A stage, and what a container of it runs. */
export interface Stage {
  name: string | null;
  image: string;
  steps: Step[];
  user: string;
  ports: number[];
  command: string[];
  healthcheck: string[];
}

/** The stages of a Dockerfile. Throws for an instruction that is not known here. */
export function readDockerfile(file: string): Stage[] {
  const stages: Stage[] = [];
  for (const instruction of DockerfileParser.parse(readFileSync(file, 'utf8')).getInstructions()) {
    if (instruction.getKeyword() === 'FROM') {
      const from = instruction as From;
      const name = from.getBuildStage();
      stages.push({
        name,
        image: from.getImage() ?? '',
        steps: [],
        user: 'root',
        ports: [],
        command: [],
        healthcheck: [],
      });
    } else add(stages.at(-1), instruction);
  }
  return stages;
}

function add(stage: Stage | undefined, instruction: Instruction): void {
  if (!stage) throw new Error(`${instruction.toString()} stands before the first FROM`);
  const words = instruction.getArguments().map((argument) => argument.getValue());
  switch (instruction.getKeyword()) {
    case 'USER':
      stage.user = words.join();
      return;
    case 'EXPOSE':
      stage.ports = words.map(Number);
      return;
    case 'CMD':
      stage.command = stringsOf(instruction);
      return;
    case 'HEALTHCHECK':
      stage.healthcheck = JSON.parse(instruction.getArgumentsContent()?.replace(/^.*?\bCMD\s+/s, '') ?? '');
      return;
    default:
      stage.steps.push(stepOf(instruction, words));
  }
}

function stepOf(instruction: Instruction, words: string[]): Step {
  const [first = '', last = ''] = words;
  switch (instruction.getKeyword()) {
    case 'RUN':
      return { kind: 'run', script: scriptOf(instruction), cached: cacheMounts(instruction as JSONInstruction) };
    case 'COPY': {
      const from = (instruction as Copy).getFromFlag()?.getValue() ?? null;
      return { kind: 'copy', from, source: first, target: last };
    }
    case 'WORKDIR':
      return { kind: 'workdir', path: first };
    case 'ENV':
      return {
        kind: 'env',
        values: (instruction as Env).getProperties().map((each) => [each.getName(), each.getValue() ?? '']),
      };
    default:
      throw new Error(`no test knows how to do this: ${instruction.toString()}`);
  }
}

/** Without flags, in one line, as the shell is given it. */
const scriptOf = (instruction: Instruction): string =>
  (instruction.getRawArgumentsContent() ?? '').replaceAll('\\\n', ' ').replace(/^(--\S+\s+)*/, '');

const stringsOf = (instruction: Instruction): string[] =>
  (instruction as JSONInstruction).getJSONStrings().map((each) => JSON.parse(each.getValue()));

/** The folders that a builder keeps between its runs. */
function cacheMounts(instruction: JSONInstruction): string[] {
  return instruction.getFlags().map((flag) => {
    const [, target] = /^type=cache,target=(.+)$/.exec(flag.getValue() ?? '') ?? [];
    if (flag.getName() !== 'mount' || target === undefined) throw new Error(`${flag.toString()} is no cache`);
    return target;
  });
}

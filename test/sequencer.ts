import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Whole fleets first: their files take minutes, and one that starts last leaves a processor idle. Vitest itself starts the largest
 * files first, and some of these have ten lines.
 */
export class FleetsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const order = ({ project, moduleId }: TestSpecification) =>
      project.config.sequence.groupOrder * 2 + (/\/apps\/|\/packages\//.test(moduleId) ? 1 : 0);
    return bySize.sort((one, other) => order(one) - order(other));
  }
}

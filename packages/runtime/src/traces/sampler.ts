import { EscapementError } from '@escapement/core';
import type { Environment } from '@escapement/service';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

/** Of OpenTelemetry's general configuration those whose answer to a trace is the same in each process. */
const SAMPLERS = ['always_on', 'always_off', 'traceidratio'] as const;
const PARENT_BASED = 'parentbased_';
const DEFAULT = `${PARENT_BASED}always_on`;

/** The sampler that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG name. Throws `bad_sampler`. */
export function samplerFrom({ OTEL_TRACES_SAMPLER: asked, OTEL_TRACES_SAMPLER_ARG: argument }: Environment): Sampler {
  const name = asked || DEFAULT;
  const isParentBased = name.startsWith(PARENT_BASED);
  const own = isParentBased ? name.slice(PARENT_BASED.length) : name;
  switch (SAMPLERS.find((each) => each === own)) {
    case 'always_on':
      return within(isParentBased, new AlwaysOnSampler());
    case 'always_off':
      return within(isParentBased, new AlwaysOffSampler());
    case 'traceidratio':
      return within(isParentBased, new TraceIdRatioBasedSampler(ratioOf(argument)));
    case undefined:
      throw new EscapementError('bad_sampler', `OTEL_TRACES_SAMPLER is ${JSON.stringify(name)}`, {
        fix: `use one of ${SAMPLERS.flatMap((each) => [each, PARENT_BASED + each]).join(', ')}`,
      });
  }
}

function within(isParentBased: boolean, root: Sampler): Sampler {
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function ratioOf(argument: string | undefined): number {
  const ratio = argument === undefined || argument === '' ? 1 : Number(argument);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new EscapementError('bad_sampler', `OTEL_TRACES_SAMPLER_ARG is ${JSON.stringify(argument)}`, {
    fix: 'give the share of traces to record, from 0 to 1',
  });
}

import type { Config } from '../../../shared/config.ts'
import type { PipelineStep } from '../pipeline.ts'
import { createFilter, type Filter } from './filter.ts'

/** Lists the steps in order: the filter, then the user's processors. */
export function pipelineSteps(
  config: Pick<Config, 'filter'>,
  own: readonly PipelineStep[],
): { readonly filter: Filter | null; readonly steps: readonly PipelineStep[] } {
  const filter = createFilter(config.filter)
  return { filter, steps: filter === null ? own : [filter, ...own] }
}

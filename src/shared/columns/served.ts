import type { OperationOutput } from '../contract/index.ts'
import { tableOf } from './column.ts'

type Served = OperationOutput<'served.list'>
type Change = Served['changes'][number]

const DIMENSIONS: Readonly<Record<Change['dimension'], string>> = {
  model: 'Model',
  speed: 'Speed',
  service_tier: 'Service tier',
  inference_geo: 'Region',
  cache_ttl: 'Cache life',
}

/** Answers that were served differently than requested, or differently than before. */
export const servedChangesTable = tableOf<Change>()({
  columns: {
    timestamp: { name: 'Since', format: 'moment' },
    dimension: { name: 'Changed', of: (row) => DIMENSIONS[row.dimension], tone: 'ink' },
    asked: { name: 'Requested' },
    before: { name: 'Before' },
    served: { name: 'Used', tone: 'warn' },
    answers: { name: 'Requests', format: 'count' },
    session_id: { name: 'Session', only: 'terminal' },
  },
})

/** Combinations of requested and served values. */
export const servedCombinationsTable = tableOf<Served['combinations'][number]>()({
  columns: {
    asked_model: { name: 'Asked', format: 'model' },
    served_model: { name: 'Served', format: 'model', only: 'filled' },
    effort: { name: 'Effort', from: 560 },
    speed: { name: 'Speed', from: 700, only: 'filled' },
    service_tier: { name: 'Tier', from: 700 },
    inference_geo: { name: 'Region', from: 760, only: 'filled' },
    cache_ttl: { name: 'Cache', from: 700 },
    answers: { name: 'Requests', format: 'count' },
  },
})

import type { OperationOutput } from '../contract/index.ts'
import { tableOf } from './column.ts'

type Change = OperationOutput<'served.list'>['changes'][number]

const DIMENSIONS: Readonly<Record<Change['dimension'], string>> = {
  model: 'Model',
  speed: 'Speed',
  service_tier: 'Service tier',
  inference_geo: 'Region',
  cache_ttl: 'Cache life',
}

/** Where answers were served otherwise than asked, or otherwise than before. */
export const servedChangesTable = tableOf<Change>()({
  columns: {
    timestamp: { name: 'First answer', format: 'moment' },
    dimension: { name: 'What', of: (row) => DIMENSIONS[row.dimension], tone: 'ink' },
    asked: { name: 'Asked' },
    before: { name: 'Before' },
    served: { name: 'Served', tone: 'warn' },
    answers: { name: 'Answers', format: 'count' },
  },
})

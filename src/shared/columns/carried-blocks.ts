import { carryLabel } from '../carry-kinds.ts'
import type { CarriedBlockItem } from '../contract/carry.ts'
import { tableOf } from './column.ts'

/** Blocks that a session carried, as `carry.session` returns them. */
export const carriedBlocksTable = tableOf<CarriedBlockItem>()({
  columns: {
    kind: { name: 'Kind', of: ({ kind }) => carryLabel(kind) },
    name: { name: 'What', of: ({ name, tool }) => name ?? tool },
    bytes: { name: 'Bytes', format: 'exact' },
    entered: { name: 'Entered', of: ({ entered }) => entered.ts_wall, format: 'moment' },
    requests: { name: 'Times carried', format: 'exact' },
    tokens: { name: 'Tokens', format: 'exact' },
    usd: { name: 'Cost', format: 'money' },
  },
})

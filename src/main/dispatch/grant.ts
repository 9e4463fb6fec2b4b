import type { Operation } from '../../shared/contract/operation.ts'
import type { CallContext } from './dispatch.ts'

/** What a key allows: an operation, or an address that only the HTTP surface has. */
export type Door = Operation | 'mcp' | 'metrics' | 'description'

/** A key, and what it opens. */
export interface Grant {
  readonly key: string
  readonly access: CallContext['access']
  readonly opens: (door: Door) => boolean
}

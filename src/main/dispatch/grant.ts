import type { Operation } from '../../shared/contract/operation.ts'
import type { CallContext } from './dispatch.ts'

/** A right of a key: an operation, or an address that only the HTTP surface has. */
export type Door = Operation | 'mcp' | 'metrics' | 'description'

/** A key and its access rights. */
export interface Grant {
  readonly key: string
  /** The name under which callers ask for a proof that the app knows the key; absent: it proves none. */
  readonly name?: string
  readonly access: CallContext['access']
  readonly opens: (door: Door) => boolean
}

import type { OperationOutput } from '../../shared/contract/index.ts'

/** An event as an export contains it. */
export type Exported = OperationOutput<'events.export'>['items'][number]

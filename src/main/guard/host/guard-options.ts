import type { Logger } from 'pino'
import type { OwnPrice } from '../../../shared/config.ts'
import type { HeldRequest } from '../../../shared/contract/guard.ts'
import type { GuardConfig } from '../guard-protocol.ts'
import type { StoreAction } from './action-log.ts'

/** What the guard is built from. */
export interface GuardOptions {
  /** Commands that a refusal names are for this folder. */
  readonly dataDir: string
  readonly databasePath: string
  readonly config: GuardConfig
  readonly prices: readonly OwnPrice[]
  readonly logger: Pick<Logger, 'warn' | 'error'>
  readonly record: StoreAction
  /** Called with all waiting requests when one starts or stops waiting. */
  readonly onHeld: (held: readonly HeldRequest[]) => void
}

import type { AnyEvent } from '../../shared/event.ts'

/** Writes to Aspy's log. Secrets are removed. */
export interface ProcessorLogger {
  debug(details: object | string, message?: string): void
  info(details: object | string, message?: string): void
  warn(details: object | string, message?: string): void
  error(details: object | string, message?: string): void
}

/** Passed to a processor with each event. */
export interface ProcessorContext {
  readonly sessionId: string
  readonly userId: string | null
  readonly agentId: string | null
  readonly project: string | null
  /** True if the demo generated the event. */
  readonly isDemo: boolean
  /** The processor's own options from the config file. */
  readonly config: { readonly [key: string]: unknown }
  readonly logger: ProcessorLogger
}

/**
 * A step of the pipeline: it may change, drop or react to an event. If it throws, the error is logged and counted, and the event
 * continues unchanged.
 */
export interface Processor {
  readonly name: string
  process(event: AnyEvent, context: ProcessorContext): AnyEvent | 'drop' | Promise<AnyEvent | 'drop'>
  /** Called once, in reverse order, with a deadline. */
  shutdown?(): void | Promise<void>
}

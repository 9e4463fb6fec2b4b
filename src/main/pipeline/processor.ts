import type { AnyEvent } from '../../shared/event.ts'

/** Where a processor may say something: Aspy's own log, secrets removed. */
export interface ProcessorLogger {
  debug(details: object | string, message?: string): void
  info(details: object | string, message?: string): void
  warn(details: object | string, message?: string): void
  error(details: object | string, message?: string): void
}

/** What a processor may know besides the event. */
export interface ProcessorContext {
  readonly sessionId: string
  readonly userId: string | null
  readonly agentId: string | null
  readonly project: string | null
  /** The event is made up by the demo. */
  readonly isDemo: boolean
  /** The processor's own options from the config file. */
  readonly config: { readonly [key: string]: unknown }
  readonly logger: ProcessorLogger
}

/**
 * One step of the pipeline: it may change, drop or react to an event. A step that throws is logged under its name and
 * counted, and the event goes on as it was.
 */
export interface Processor {
  readonly name: string
  process(event: AnyEvent, context: ProcessorContext): AnyEvent | 'drop' | Promise<AnyEvent | 'drop'>
  /** Called once, in reverse order of the list, with a deadline that names the slow one. */
  shutdown?(): void | Promise<void>
}

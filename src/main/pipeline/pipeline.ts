import type { OperationOutput } from '../../shared/contract/index.ts'
import type { AnyEvent, JsonObject } from '../../shared/event.ts'
import type { AnyDraft } from '../decode/draft.ts'
import type { Redactor } from '../redaction/redactor.ts'
import type { Processor, ProcessorContext } from './processor.ts'
import { errorMessage } from '../../shared/error-text.ts'

/** The steps between decoder and store. Order: decode → redact → cap and identify (in the store) → processors → store. */
export type Pipeline = ReturnType<typeof createPipeline>

/** A processor as the pipeline runs it. `disabled` returns why it no longer runs, or null. */
export interface PipelineStep extends Processor {
  disabled?(): string | null
  pace?(): Pace
}

/** Timing of a step that may be slow. */
export interface Pace {
  /** Number of timeouts, and of events skipped because its time was used up. */
  readonly late: number
  /** Longest time for an answer in ms; null before the first. */
  readonly slowest_ms: number | null
}

export type ProcessorStatus = OperationOutput<'health.get'>['processors'][number]

export interface PipelineOptions {
  readonly redactor: Redactor
  readonly isDemo: boolean
  readonly logger: ProcessorContext['logger']
  /** In the order they run. */
  readonly processors: readonly PipelineStep[]
}

export function createPipeline({ redactor, isDemo, logger, processors }: PipelineOptions) {
  const steps = processors.map((processor) => ({ processor, seen: 0, dropped: 0, errors: 0 }))

  function run(step: (typeof steps)[number], event: AnyEvent): AnyEvent | 'drop' {
    const { processor } = step
    step.seen += 1
    try {
      const result = processor.process(event, contextOf(event))
      if (result instanceof Promise)
        throw new TypeError('it returned a promise, but events are written in one transaction')
      if (result === 'drop') step.dropped += 1
      // A processor may put secrets back.
      return result === 'drop' || result === event ? result : redacted(result, redactor)
    } catch (error) {
      step.errors += 1
      // A processor that fails at every event must not flood the log.
      if (step.errors > 20 && step.errors % 1000 !== 0) return event
      logger.warn({ processor: processor.name, error: messageOf(error, redactor) }, 'processor failed')
      return event
    }
  }

  const contextOf = (event: AnyEvent): ProcessorContext => ({
    sessionId: event.session_id,
    userId: event.user_id,
    agentId: event.agent_id,
    project: event.project,
    isDemo,
    config: {},
    logger,
  })

  return {
    /** Removes secrets and disallowed headers from a draft before anything else sees it. */
    redact: (draft: AnyDraft) => redactedDraft(draft, redactor),
    /** Runs the processors, in order, on an identified event before it is written. */
    accept(event: AnyEvent): AnyEvent | 'drop' {
      let current = event
      for (const step of steps) {
        const result = run(step, current)
        if (result === 'drop') return 'drop'
        current = result
      }
      return current
    },
    status: () =>
      steps.map(({ processor, seen, dropped, errors }) => ({
        name: processor.name,
        seen,
        dropped,
        errors,
        disabled: processor.disabled?.() ?? null,
        ...(processor.pace?.() ?? { late: 0, slowest_ms: null }),
      })),
    /** Shuts the processors down in reverse order. After `deadlineMs` it logs the slow one and moves on. */
    async shutdown(deadlineMs: number) {
      const deadline = performance.now() + deadlineMs
      for (const { processor } of steps.toReversed()) {
        if (!processor.shutdown) continue
        const outcome = await withDeadline(processor.shutdown.bind(processor), deadline - performance.now())
        if (outcome !== 'done')
          logger.warn({ processor: processor.name, outcome }, 'processor did not shut down cleanly')
      }
    },
  }
}

/** Counts dropped events by the reasons that Health shows. */
export function dropsOfSteps(status: readonly ProcessorStatus[]): Record<string, number> {
  const dropped = { filtered: 0, processor_dropped: 0 }
  for (const step of status) dropped[step.name === 'filter' ? 'filtered' : 'processor_dropped'] += step.dropped
  return Object.fromEntries(Object.entries(dropped).filter(([, count]) => count > 0))
}

async function withDeadline(work: () => void | Promise<void>, ms: number): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('it took too long'), Math.max(0, ms))
  })
  try {
    const worked = Promise.resolve(work()).then(() => 'done')
    return await Promise.race([worked, late])
  } catch (error) {
    return errorMessage(error)
  } finally {
    clearTimeout(timer)
  }
}

/** Removes secrets from every text, and all headers not on the allow-list. */
export function redactedDraft(draft: AnyDraft, redactor: Redactor): AnyDraft {
  if (draft.kind !== 'model_request' && draft.kind !== 'model_response') return redactor.draft(draft)
  const { headers } = draft.payload
  // Most headers are dropped, so the others are enough to redact.
  const clean = redactor.draft({ ...draft, payload: { ...draft.payload, headers: [] } } as AnyDraft)
  return { ...clean, payload: { ...clean.payload, headers: redactor.headers(headers) } } as AnyDraft
}

function redacted(event: AnyEvent, redactor: Redactor): AnyEvent {
  const payload = redactor.json<JsonObject>(event.payload as JsonObject)
  const message = event.error_message === null ? null : redactor.text(event.error_message)
  const project = event.project === null ? null : redactor.text(event.project)
  return { ...event, payload, error_message: message, project } as AnyEvent
}

const messageOf = (error: unknown, redactor: Redactor) => redactor.text(errorMessage(error))

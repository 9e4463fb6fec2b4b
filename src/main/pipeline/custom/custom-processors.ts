import type { AnyEvent, Json, JsonObject } from '../../../shared/event.ts'
import { NoAnswer, type CustomLog, type CustomWorker } from './custom-worker.ts'
import type { PipelineStep } from '../pipeline.ts'
import type { ProcessorContext } from '../processor.ts'
import { errorMessage } from '../../../shared/error-text.ts'
import { isObject } from '../../../shared/json-fields.ts'

/** A processor is disabled after this many timeouts or errors in a row. */
const MAX_TIMEOUTS_IN_A_ROW = 3
const MAX_ERRORS_IN_A_ROW = 50

export interface CustomProcessorsOptions {
  readonly worker: Pick<CustomWorker, 'ready' | 'ask' | 'faultOf' | 'takeLogs'>
  /** Number of modules. */
  readonly count: number
  /** Returns a module's name, which may be unknown until it is loaded. */
  nameOf(module: number): string
  /** Limit for all events of one turn of the event loop, that is, of one transaction. */
  readonly timeoutMs: number
  /** Removes secrets from a processor's log lines. */
  redact(text: string): string
}

/** Creates a pipeline step for each of the user's processors. They run in a thread that can be terminated. */
export const createCustomProcessors = (options: CustomProcessorsOptions): PipelineStep[] =>
  Array.from({ length: options.count }, (_, module) => createStep(module, options))

function createStep(module: number, options: CustomProcessorsOptions): PipelineStep {
  const { worker, timeoutMs, redact } = options
  let leftMs = timeoutMs
  let turnEnds: NodeJS.Immediate | null = null
  let timeouts = 0
  let errors = 0
  let disabled: string | null = null
  let late = 0
  let slowestMs: number | null = null

  function budget(): number {
    turnEnds ??= setImmediate(() => {
      turnEnds = null
      leftMs = timeoutMs
    })
    return leftMs
  }

  function ask(event: AnyEvent, context: ProcessorContext): AnyEvent | 'drop' {
    const left = budget()
    if (left <= 0) {
      late += 1
      throw new Error('no time left in this transaction')
    }
    const { config: _, logger, ...plain } = context
    worker.ready()
    // Loading may have failed.
    if (worker.faultOf(module) !== null) return event
    const start = performance.now()
    try {
      const answer = worker.ask({ type: 'process', module, event, context: plain }, left)
      timeouts = 0
      slowestMs = Math.max(slowestMs ?? 0, Math.ceil(performance.now() - start))
      if (answer.type === 'failed') throw new Error(answer.message)
      errors = 0
      if (answer.type === 'dropped') return 'drop'
      return answer.type === 'changed' ? changedEvent(event, answer.event) : event
    } catch (error) {
      if (error instanceof NoAnswer) {
        // Skips this processor for the rest of the transaction.
        leftMs = Number.NEGATIVE_INFINITY
        timeouts += 1
        late += 1
        if (timeouts >= MAX_TIMEOUTS_IN_A_ROW) disabled = `${timeouts} times in a row: ${error.message}`
      } else {
        errors += 1
        if (errors >= MAX_ERRORS_IN_A_ROW)
          disabled = `${errors} errors in a row, the last: ${redact(errorMessage(error))}`
      }
      throw error
    } finally {
      leftMs -= performance.now() - start
      for (const line of worker.takeLogs()) log(line, logger)
    }
  }

  function log({ module: from, level, text }: CustomLog, logger: ProcessorContext['logger']): void {
    logger[level]({ processor: options.nameOf(from) }, redact(text))
  }

  return {
    get name() {
      return options.nameOf(module)
    },
    process(event, context) {
      disabled ??= worker.faultOf(module)
      return disabled === null ? ask(event, context) : event
    },
    disabled: () => disabled ?? worker.faultOf(module),
    pace: () => ({ late, slowest_ms: slowestMs }),
    shutdown() {
      if (this.disabled?.() != null) return
      const answer = worker.ask({ type: 'shutdown', module }, timeoutMs)
      if (answer.type === 'failed') throw new Error(redact(answer.message))
    },
  }
}

/** Validates a processor's event: the payload must keep the shape of its kind, so that the store can write it. */
function changedEvent(event: AnyEvent, given: unknown): AnyEvent {
  if (!isObject(given)) throw new TypeError("it returned neither an event nor 'drop'")
  const { payload, duration_ms, success, error_message, project, kind } = given as Partial<Record<string, Json>>
  if (kind !== event.kind) throw new TypeError('it changed the kind of the event')
  if (!isObject(payload)) throw new TypeError('its event has no payload')
  const fault = faultOfShape(event.payload as unknown as JsonObject, payload, 'payload')
  if (fault !== null) throw new TypeError(fault)
  return {
    ...event,
    payload: JSON.parse(JSON.stringify(payload)) as JsonObject,
    duration_ms: typeof duration_ms === 'number' && Number.isFinite(duration_ms) ? duration_ms : event.duration_ms,
    success: typeof success === 'boolean' ? success : event.success,
    error_message: typeof error_message === 'string' ? error_message : event.error_message,
    project: typeof project === 'string' ? project : event.project,
  } as unknown as AnyEvent
}

/** Fields that may hold any JSON. */
const FREE = new Set(['input', 'output', 'detail', 'raw', 'body', 'limits', 'from', 'to', 'stop_details'])

/** Returns the first existing field whose type changed, as an error message. Fields may be added. */
function faultOfShape(before: JsonObject, after: JsonObject, path: string): string | null {
  for (const [name, value] of Object.entries(before)) {
    if (FREE.has(name) || value === null) continue
    const given = after[name]
    const at = `${path}.${name}`
    if (typeName(given) !== typeName(value)) return `its ${at} is ${typeName(given)} and should be ${typeName(value)}`
    const inner = isObject(value) && isObject(given) ? faultOfShape(value, given, at) : null
    if (inner !== null) return inner
  }
  return null
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : typeof value
}

import type { AnyEvent, Json, JsonObject } from '../../../shared/event.ts'
import { NoAnswer } from './custom-worker.ts'
import type { CustomLog, CustomWorker } from './custom-worker.ts'
import type { PipelineStep } from '../pipeline.ts'
import type { ProcessorContext } from '../processor.ts'

/** So often in a row without an answer, or with an error, and a processor is not asked any more. */
const TIMEOUTS_IN_A_ROW = 3
const ERRORS_IN_A_ROW = 50

export interface CustomProcessorsOptions {
  readonly worker: Pick<CustomWorker, 'ready' | 'ask' | 'faultOf' | 'takeLogs'>
  /** How many modules there are. */
  readonly count: number
  /** What a module is called; it may only be known once it is loaded. */
  nameOf(module: number): string
  /** For all events of one turn of the event loop: one transaction. */
  readonly timeoutMs: number
  /** Removes secrets from what a processor logs. */
  redact(text: string): string
}

/** The user's own processors as steps of the pipeline; each runs in the thread that can be ended. */
export function createCustomProcessors(options: CustomProcessorsOptions): PipelineStep[] {
  return Array.from({ length: options.count }, (_, module) => createStep(module, options))
}

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
      throw new Error('no time was left for it in this transaction')
    }
    const { config: _, logger, ...plain } = context
    worker.ready()
    // Loading may have told that it cannot be used.
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
        // The rest of these events go on without it.
        leftMs = Number.NEGATIVE_INFINITY
        timeouts += 1
        late += 1
        if (timeouts >= TIMEOUTS_IN_A_ROW) disabled = `${timeouts} times in a row: ${error.message}`
      } else {
        errors += 1
        if (errors >= ERRORS_IN_A_ROW) disabled = `${errors} errors in a row, the last: ${redact(messageOf(error))}`
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

/** What a processor gave back, held to what the store can take: its payload must keep the shape of its kind. */
function changedEvent(event: AnyEvent, given: unknown): AnyEvent {
  if (!isObject(given)) throw new TypeError("it gave back neither an event nor 'drop'")
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

/** Fields that hold any JSON. */
const FREE = new Set(['input', 'output', 'detail', 'raw', 'body', 'limits', 'from', 'to', 'stop_details'])

/** Fields may be added; those that were there keep their type. */
function faultOfShape(before: JsonObject, after: JsonObject, path: string): string | null {
  for (const [name, value] of Object.entries(before)) {
    if (FREE.has(name) || value === null) continue
    const given = after[name]
    const at = `${path}.${name}`
    if (typeName(given) !== typeName(value)) {
      return `its ${at} is ${typeName(given)} and should be ${typeName(value)}`
    }
    const inner = isObject(value) && isObject(given) ? faultOfShape(value, given, at) : null
    if (inner !== null) return inner
  }
  return null
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : typeof value
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

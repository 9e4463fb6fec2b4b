import { firstCharacters } from '../../../../../shared/cut-text.ts'
import type { Json, JsonObject } from '../../../../../shared/event.ts'
import { remember } from './remembered.ts'
import { filledString, numberOf, objectOf, stringOf } from '../../../../../shared/json-fields.ts'

/** The client's report on a call that it ran. */
export interface CallOutcome {
  /** Null if the client does not report it. */
  readonly isError: boolean | null
  /** A person or a rule refused it. */
  readonly isRejected: boolean
  readonly durationMs: number | null
  readonly detail: JsonObject
}

const MAX_OPERATIONS = 200
const MAX_OUTPUT_CHARACTERS = 4000

/**
 * Remembers what the client reports of the calls it ran (`item_completed`, `exec_command_end` …) until their results
 * come. Operations inside another call (`exec` runs a script that calls tools) become part of that call's detail.
 */
export class CallOutcomes {
  readonly #outcomes = new Map<string, CallOutcome>()
  readonly #called = new Map<string, true>()
  /** Operations that belong to no call, since the last result. */
  #inner: JsonObject[] = []

  /** Notes a call that the model made. */
  call(callId: string): void {
    remember(this.#called, callId, true)
  }

  /** Takes `item` of an `item_completed`, or an event that ends a call. */
  take(type: string, item: JsonObject): void {
    const id = filledString(item['call_id']) ?? filledString(item['id'])
    const outcome = outcomeOf(type, item)
    if (id === null || outcome === null) return
    if (this.#called.has(id)) remember(this.#outcomes, id, outcome)
    else if (this.#inner.length < MAX_OPERATIONS) this.#inner.push({ type, ...outcome.detail, ...outputOf(item) })
  }

  /** Returns the outcome of the call whose result comes now; null if the client reported none. */
  of(callId: string): CallOutcome | null {
    const own = this.#outcomes.get(callId) ?? null
    this.#outcomes.delete(callId)
    if (this.#inner.length === 0) return own
    const operations = this.#inner
    this.#inner = []
    if (own !== null) return { ...own, detail: { ...own.detail, operations } }
    return { isError: null, isRejected: false, durationMs: null, detail: { operations } }
  }
}

function outcomeOf(type: string, item: JsonObject): CallOutcome | null {
  const status = stringOf(item['status'])
  const common = { isRejected: status === 'declined', durationMs: durationOf(item['duration']) }
  switch (type) {
    case 'CommandExecution':
    case 'exec_command_end': {
      const exitCode = numberOf(item['exit_code'])
      const isError = exitCode === null ? (status === null ? null : status === 'failed') : exitCode !== 0
      return {
        ...common,
        isError: common.isRejected || isError,
        detail: picked(item, ['command', 'cwd', 'exit_code', 'status']),
      }
    }
    case 'FileChange':
    case 'patch_apply_end': {
      const isError =
        typeof item['success'] === 'boolean' ? !item['success'] : status === null ? null : status !== 'completed'
      const files = Object.entries(objectOf(item['changes'])).slice(0, MAX_OPERATIONS).map(changeOf)
      return { ...common, isError, detail: { ...picked(item, ['status']), files } }
    }
    case 'McpToolCall':
    case 'mcp_tool_call_end': {
      const result = objectOf(item['result'])
      const failed = status === 'failed' || result['Err'] !== undefined || objectOf(result['Ok'])['isError'] === true
      return {
        ...common,
        isError: failed || result['isError'] === true,
        detail: picked(item, ['server', 'tool', 'invocation', 'status']),
      }
    }
    default:
      return null
  }
}

function changeOf([path, change]: readonly [string, Json]): JsonObject {
  return { path, ...picked(objectOf(change), ['type', 'unified_diff', 'move_path']) }
}

function picked(item: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (item[name] === undefined || item[name] === null ? [] : [[name, item[name]]])),
  )
}

/** The output of an operation, shortened: no result contains it. */
function outputOf(item: JsonObject): JsonObject {
  const output = stringOf(item['aggregated_output'])
  return output === null ? {} : { output: shortened(output) }
}

const shortened = (text: string): string =>
  text.length <= MAX_OUTPUT_CHARACTERS ? text : `${firstCharacters(text, MAX_OUTPUT_CHARACTERS)}…`

/** Rust's form of a duration, `{secs, nanos}`; older files have a text. */
function durationOf(value: Json | undefined): number | null {
  const { secs, nanos } = objectOf(value)
  const seconds = numberOf(secs)
  if (seconds === null || seconds < 0) return null
  return Math.round(seconds * 1000 + (numberOf(nanos) ?? 0) / 1e6)
}

import type { AspyBridge, BridgeAnswer } from '../../shared/bridge.ts'
import { type ErrorAnswer, fromErrorAnswer, toErrorAnswer } from '../../shared/contract/errors.ts'
import type { OperationInput, OperationName, OperationOutput } from '../../shared/contract/index.ts'
import { isOfThisMachine, overTeam } from '../../shared/contract/team.ts'
import { noteAnswer, noteUnreachable } from './connection.ts'
import { history } from './history.ts'
import { answersHealth, callOverHttp, streamOverHttp } from './http-client.ts'

declare global {
  interface Window {
    /** Set by the desktop app's preload; absent in a browser. */
    readonly aspy?: AspyBridge
  }
}

const unauthorizedListeners = new Set<() => void>()

/** Calls `listener` when the server rejects this window's session. Returns a function that unsubscribes. */
export function onUnauthorized(listener: () => void): () => void {
  unauthorizedListeners.add(listener)
  return () => unauthorizedListeners.delete(listener)
}

function failed(answer: ErrorAnswer): Error {
  if (answer.code === 'unreachable') noteUnreachable()
  if (answer.code === 'unauthorized') for (const listener of unauthorizedListeners) listener()
  return fromErrorAnswer(answer)
}

type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** Returns the fields that have a value. */
export const defined = <Fields extends object>(fields: Fields): Defined<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>

/**
 * Runs an operation that returns one value, on the history that this window shows, over the desktop app's bridge if there is one, else over HTTP.
 * Fields that are undefined are left out. Throws an AspyError, or an AbortError if `signal` is aborted.
 */
export async function call<Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
  signal?: AbortSignal,
): Promise<OperationOutput<Name>> {
  const fields = defined(input as object)
  const asked = history === 'team' && !isOfThisMachine(name) ? overTeam(name, fields) : { name, input: fields }
  const answer = await run(asked.name, asked.input, signal)
  signal?.throwIfAborted()
  if (!answer.ok) throw failed(answer.error)
  noteAnswer()
  return JSON.parse(answer.json) as OperationOutput<Name>
}

function run(name: OperationName, input: unknown, signal?: AbortSignal): Promise<BridgeAnswer> {
  return window.aspy ? window.aspy.call(name, input) : callOverHttp(name, input, signal)
}

/**
 * Runs an operation that streams batches. Returns a function that stops it. Calls `onEnd` once, with the error if there
 * was one, and never after the stream was stopped.
 */
export function subscribe<Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
  onBatch: (batch: OperationOutput<Name>) => void,
  onEnd: (error: Error | null) => void,
): () => void {
  let ended = false
  const end = (error: ErrorAnswer | null) => {
    if (ended) return
    ended = true
    onEnd(error ? failed(error) : null)
  }
  const batch = (json: string) => {
    noteAnswer()
    if (!ended) onBatch(JSON.parse(json) as OperationOutput<Name>)
  }
  let stop: () => void
  if (window.aspy) {
    stop = window.aspy.subscribe(name, input, batch, end)
  } else {
    const abort = new AbortController()
    stop = () => abort.abort()
    streamOverHttp(name, input, abort.signal, batch).then(end, (error: unknown) => end(toErrorAnswer(error)))
  }
  return () => {
    ended = true
    stop()
  }
}

/** Returns true if the app answers. Sends no cookie, because another program may listen on the port meanwhile. */
export async function isServerThere(): Promise<boolean> {
  if (window.aspy === undefined) return answersHealth()
  const answer = await window.aspy.call('health.get', {})
  return answer.ok || answer.error.code !== 'unreachable'
}

import type { BridgeAnswer, StreamMessage } from '../../../shared/bridge.ts'
import { toErrorAnswer } from '../../../shared/contract/errors.ts'

/** The part of dispatch that this surface uses. */
export interface IpcDispatch {
  call(name: string, input: unknown, context: { readonly access: 'all' }): Promise<Uint8Array>
  stream(
    name: string,
    input: unknown,
    context: { readonly access: 'all' },
    signal: AbortSignal,
  ): AsyncIterable<{ readonly json: Uint8Array }>
}

/** The calls and open streams of one window. */
export type IpcSurface = ReturnType<typeof createIpcSurface>

/** Bounds the open streams of one window: a page in a loop must not exhaust the main process. */
const MAX_STREAMS = 32

/** Connects a window to dispatch. `send` posts stream messages to that window. */
export function createIpcSurface(dispatch: IpcDispatch, send: (message: StreamMessage) => void) {
  const open = new Map<number, AbortController>()
  const decoder = new TextDecoder()
  const access = { access: 'all' } as const

  async function run(stream: number, name: string, input: unknown, controller: AbortController): Promise<void> {
    try {
      for await (const { json } of dispatch.stream(name, input, access, controller.signal)) {
        if (controller.signal.aborted) return
        send({ stream, type: 'batch', json: decoder.decode(json) })
      }
      send({ stream, type: 'end', error: null })
    } catch (error) {
      if (!controller.signal.aborted) send({ stream, type: 'end', error: toErrorAnswer(error) })
    } finally {
      open.delete(stream)
    }
  }

  return {
    async call(name: unknown, input: unknown): Promise<BridgeAnswer> {
      if (typeof name !== 'string') return refused('the name of an operation must be a string')
      try {
        return { ok: true, json: decoder.decode(await dispatch.call(name, input, access)) }
      } catch (error) {
        return { ok: false, error: toErrorAnswer(error) }
      }
    },
    subscribe(stream: unknown, name: unknown, input: unknown) {
      if (typeof stream !== 'number' || typeof name !== 'string' || open.has(stream)) return
      if (open.size >= MAX_STREAMS) {
        send({
          stream,
          type: 'end',
          error: {
            code: 'too_large',
            message: `this window has ${MAX_STREAMS} open streams, the most it may have; close one first`,
          },
        })
        return
      }
      const controller = new AbortController()
      open.set(stream, controller)
      void run(stream, name, input, controller)
    },
    unsubscribe(stream: unknown) {
      if (typeof stream !== 'number') return
      open.get(stream)?.abort()
      open.delete(stream)
    },
    /** Ends all streams when the window closes. */
    dispose() {
      for (const controller of open.values()) controller.abort()
      open.clear()
    },
  }
}

const refused = (message: string): BridgeAnswer => ({ ok: false, error: { code: 'bad_input', message } })

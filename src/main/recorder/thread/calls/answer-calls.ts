import { AspyError, toErrorAnswer } from '../../../../shared/contract/errors.ts'
import type { FromRecorder, ToRecorder } from '../../protocol.ts'
import type { RecorderTable } from './recorder-handlers.ts'

type Call = Extract<ToRecorder, { readonly type: 'call' }>
type AnyHandler = (input: unknown, onProgress: (progress: unknown) => void) => unknown

/** Answers calls with the handler of that name. Dispatch has parsed the input. */
export function answerCalls(handlers: RecorderTable, send: (message: FromRecorder) => void): (call: Call) => void {
  // The contract ties each name to its types, which the thread boundary erases.
  const byName = new Map(Object.entries(handlers) as unknown as readonly (readonly [string, AnyHandler])[])

  async function answer({ call, name, input }: Call): Promise<void> {
    try {
      const handler = byName.get(name)
      if (handler === undefined) throw new AspyError('not_found', `the recorder has no operation ${name}`)
      const value = await handler(input, (progress) => send({ type: 'progress', call, value: progress }))
      send({ type: 'result', call, value })
    } catch (error) {
      send({ type: 'failure', call, error: toErrorAnswer(error) })
    }
  }

  return (call) => void answer(call)
}

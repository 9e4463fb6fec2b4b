import { AspyError, toErrorAnswer } from '../../../shared/contract/errors.ts'
import type { ErrorAnswer } from '../../../shared/contract/errors.ts'
import { isPeopleOperation } from '../../store/people/people.ts'
import type { People } from '../../store/people/people.ts'
import type { FromRecorder, ToRecorder } from '../protocol.ts'
import type { Upkeep } from './upkeep/upkeep.ts'

export interface CallsOptions {
  readonly runPeople: People['run']
  readonly upkeep: Pick<Upkeep, 'run'>
  /** Adds an event of the caller's own; told when it is safe, or why it is not. */
  post(input: unknown, onSettled: (value: unknown, error: ErrorAnswer | null) => void): void
  send(message: FromRecorder): void
}

/** Answers the operations whose place is the recorder. */
export function createCalls({
  runPeople,
  upkeep,
  post,
  send,
}: CallsOptions): (call: Extract<ToRecorder, { readonly type: 'call' }>) => void {
  return ({ call, name, input }) => {
    try {
      if (isPeopleOperation(name)) {
        const value = runPeople(name, input)
        return send({ type: 'result', call, value })
      }
      const slow = upkeep.run(name, input, (value) => send({ type: 'progress', call, value }))
      if (slow !== null) {
        slow.then(
          (value) => send({ type: 'result', call, value }),
          (error: unknown) => send({ type: 'failure', call, error: toErrorAnswer(error) }),
        )
        return
      }
      if (name !== 'events.post') throw new AspyError('not_found', `the recorder knows no operation ${name}`)
      post(input, (value, error) =>
        send(error === null ? { type: 'result', call, value } : { type: 'failure', call, error }),
      )
    } catch (error) {
      send({ type: 'failure', call, error: toErrorAnswer(error) })
    }
  }
}

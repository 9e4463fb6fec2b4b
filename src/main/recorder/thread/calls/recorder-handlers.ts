import type { OperationInput } from '../../../../shared/contract/index.ts'
import type { RecorderHandlers } from '../../../dispatch/handlers.ts'
import type { People } from '../../../store/people/people.ts'
import type { RecorderCommands } from '../../protocol.ts'
import type { Capture } from '../capture/capture.ts'
import type { Upkeep } from '../upkeep/upkeep.ts'
import { withoutSecrets } from './typed-text.ts'

/** Handlers of the commands that only the app itself sends. */
type CommandHandlers = {
  readonly [Name in keyof RecorderCommands]: (
    input: RecorderCommands[Name]['input'],
  ) => RecorderCommands[Name]['output']
}

export type RecorderTable = RecorderHandlers & CommandHandlers

export interface RecorderHandlerParts {
  readonly capture: Pick<Capture, 'post'>
  readonly upkeep: Upkeep
  /** Throws `store_unavailable`. */
  people(): People
  salvage(reason: string): void
  handOver(): void
  /** Removes secrets from a text that a person typed. */
  redact(text: string): string
}

/** The handlers of every operation that runs in the recorder. */
export function createRecorderHandlers(parts: RecorderHandlerParts): RecorderTable {
  const { capture, upkeep, people, salvage, handOver, redact } = parts
  return {
    'events.post': (input) => capture.post(input),
    'sessions.label': (input) => people().run('sessions.label', withoutSecrets(input, redact)),
    'memories.add': (input) => people().run('memories.add', withoutSecrets(input, redact)),
    'memories.remove': (input) => people().run('memories.remove', input),
    'searches.save': (input) => people().run('searches.save', withoutSecrets(input, redact)),
    'searches.remove': (input) => people().run('searches.remove', input),
    'sessions.delete': ({ session_id }) => upkeep.deleteSession(session_id),
    'sessions.delete_soon': (input) => upkeep.delayed.request(idsIn(input)),
    'sessions.undo_shown': (input) => upkeep.delayed.see(idsIn(input)),
    'sessions.undo_delete': (input) => upkeep.delayed.undo(idsIn(input)),
    'store.rebuild': ({ only }, onProgress) => upkeep.rebuild(only, onProgress),
    'store.archive': (_input, onProgress) => upkeep.archive(onProgress),
    'store.vacuum': () => upkeep.vacuum(),
    'store.backup': ({ path }, onProgress) => upkeep.backUp(path, onProgress),
    'store.import': ({ path }, onProgress) => upkeep.importExport(path, onProgress),
    'redaction.past': ({ run }, onProgress) => upkeep.redactPast(run ?? null, onProgress),
    'redaction.remove_copies': ({ paths }) => upkeep.removeCopies(paths),
    'budgets.reported': (input) => people().run('budgets.reported', input),
    'store.hand_over'() {
      handOver()
      return { done: true }
    },
    'store.salvage'({ reason }) {
      salvage(reason)
      return { done: true }
    },
  }
}

const idsIn = ({ ids, session_id }: OperationInput<'sessions.delete_soon'>): readonly string[] =>
  ids ?? (session_id === undefined ? [] : [session_id])

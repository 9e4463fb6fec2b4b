import type { OperationName, OperationOutput, ParsedInput } from '../../shared/contract/index.ts'
import type { PeopleOperation } from '../store/people/people.ts'
import type { Reader } from '../store/read/reader.ts'

/** Who calls: the key's reach, and what helps to answer. */
export interface CallContext {
  /** all: the app's own key; read: readers only; hooks: nothing but `hooks.post`. */
  readonly access: 'all' | 'read' | 'hooks'
  /** The caller's working directory, where it has one. */
  readonly project?: string | null
  readonly signal?: AbortSignal
}

type MainStream = 'live.subscribe' | 'transcripts.import'
type MainValue =
  | 'hooks.post'
  | 'transcripts.find'
  | 'notices.session_start'
  | 'claude_code.status'
  | 'claude_code.set_up'
  | 'claude_code.undo'
  | 'health.get'
  | 'budgets.status'
  | 'config.get'
  | 'config.set'

/** Operations of the main thread that answer once. */
export type MainValueName = Extract<OperationName, MainValue>
/** Operations of the main thread that answer in batches. */
export type MainStreamName = Extract<OperationName, MainStream>
/** Operations that the recorder runs, because they write. */
export type RecorderName = Extract<
  OperationName,
  | PeopleOperation
  | 'events.post'
  | 'sessions.delete'
  | 'store.rebuild'
  | 'store.archive'
  | 'store.backup'
  | 'store.import'
  | 'redaction.past'
>
/** Operations that a reader thread runs. */
export type ReaderName = Exclude<OperationName, MainValueName | MainStreamName | RecorderName>

export type ReaderHandler<Name extends ReaderName> = (reader: Reader, input: ParsedInput<Name>) => OperationOutput<Name>
export type ReaderHandlers = { readonly [Name in ReaderName]: ReaderHandler<Name> }

/** What the composition root supplies for the main thread. */
export type MainHandlers = {
  readonly [Name in MainValueName]: (
    input: ParsedInput<Name>,
    context: CallContext,
  ) => Promise<OperationOutput<Name>> | OperationOutput<Name>
} & {
  readonly [Name in MainStreamName]: (
    input: ParsedInput<Name>,
    context: CallContext,
    signal: AbortSignal,
  ) => AsyncIterable<OperationOutput<Name>>
}

/** The recorder as dispatch sees it: answers with the operation's output, rejects with an AspyError. */
export interface RecorderCalls {
  call(name: string, input: unknown, onProgress?: (value: unknown) => void): Promise<unknown>
}

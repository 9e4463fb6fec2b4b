import type { OperationAt, OperationOutput, ParsedInput } from '../../shared/contract/index.ts'
import type { Reader } from '../store/read/reader.ts'

/** The caller of an operation: the reach of its key, and facts that help to answer. */
export interface CallContext {
  /** all: the app's own key; read: operations that do not write; hooks: operations for hooks only. */
  readonly access: 'all' | 'read' | 'hooks'
  /** Working directory of the caller, if it has one. */
  readonly project?: string | null
  readonly signal?: AbortSignal
}

/** Operations of the main thread that answer once. */
export type MainValueName = OperationAt<'main', 'value'>
/** Operations of the main thread that answer in batches. */
export type MainStreamName = OperationAt<'main', 'stream'>
/** Operations that the recorder runs, because they write. */
export type RecorderName = OperationAt<'recorder'>
/** Operations that a reader thread runs. */
export type ReaderName = OperationAt<'reader'>

export type ReaderHandler<Name extends ReaderName> = (reader: Reader, input: ParsedInput<Name>) => OperationOutput<Name>
export type ReaderHandlers = { readonly [Name in ReaderName]: ReaderHandler<Name> }

/** Handlers of the recorder. One that takes time reports its progress; its return value is the last batch. */
export type RecorderHandlers = {
  readonly [Name in RecorderName]: (
    input: ParsedInput<Name>,
    onProgress: (progress: OperationOutput<Name>) => void,
  ) => Promise<OperationOutput<Name>> | OperationOutput<Name>
}

/** A hook reaches its handler as the bytes of its JSON: see `rawBody` in the contract. */
type MainInput<Name extends MainValueName> = Name extends 'hooks.post' ? Uint8Array : ParsedInput<Name>

/** Handlers that the composition root supplies for the main thread. */
export type MainHandlers = {
  readonly [Name in MainValueName]: (
    input: MainInput<Name>,
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

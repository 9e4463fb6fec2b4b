import { z } from 'zod'
import type { McpTool } from './mcp-tools.ts'

/** The thread an operation runs on: reader (read-only database), recorder (the writer) or main. */
export type Place = 'reader' | 'recorder' | 'main'
/** value: one answer; stream: batches until the caller leaves or the work is done. */
export type Answer = 'value' | 'stream'

/** Lets the reader of a stream resume after an interruption. */
export interface Resumption {
  /** Field of the input that names the last batch received. */
  readonly field: string
  /** Returns the id to resume from after a batch; null if the batch has none. */
  idOf(batch: unknown): number | null
}

/** Set if the handler receives the body's bytes, so that a large body is not parsed on the main thread. */
export interface RawBody {
  /** A larger body is refused. */
  readonly maxBytes: number
  /** Up to this size the body is parsed, so that the caller learns what is wrong with it. */
  readonly parsedBytes: number
}

/** A field of the input whose shape depends on another field. */
export interface Variants {
  /** The deciding field. */
  readonly by: string
  /** The dependent field. Its schema is checked after the rest of the input. */
  readonly field: string
  readonly cases: { readonly [value: string]: { readonly schema: z.ZodType; readonly example: unknown } }
  /** The other fields of an example. */
  readonly example: object
}

/** Formats of an answer other than JSON. */
export interface Documents {
  /** Field of the input that names the format. */
  readonly field: string
  /** Content type of each format; other formats are JSON. */
  readonly types: { readonly [format: string]: string }
}

/**
 * One operation of the product: its name, input and output, and everything a surface must know about it. Window, HTTP API,
 * MCP and command line are adapters over the list of operations; none of them knows an operation by name.
 */
export interface Operation<
  Name extends string = string,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  RunsOn extends Place = Place,
  AnswersWith extends Answer = Answer,
> {
  /** noun.verb */
  readonly name: Name
  readonly summary: string
  readonly place: RunsOn
  readonly answer: AnswersWith
  /** True if it changes stored data or settings. Never offered to read-only keys. */
  readonly writes: boolean
  readonly input: Input
  /** Schema of the answer, or of one batch of a stream. */
  readonly output: Output
  /** Promised address besides `POST /api/<name>`. Its `:name` parts and the query become fields of the input. */
  readonly http?: { readonly method: 'GET' | 'POST'; readonly path: string } | undefined
  readonly mcp?: McpTool | undefined
  /** Open to the key of the hooks, which opens nothing else. */
  readonly isForHooks?: true | undefined
  /** Field of the input that names the caller: a newer call of that caller cancels its older one. */
  readonly supersededBy?: string | undefined
  readonly variants?: Variants | undefined
  readonly rawBody?: RawBody | undefined
  /** Set if the answer can also be a document: over HTTP, its field `document` is then the whole answer. */
  readonly documents?: Documents | undefined
  /** Set for a stream that can be resumed. Other streams start over. */
  readonly resumes?: Resumption | undefined
}

const nothing = z.object({})

/** Declares an operation. The default is a reading operation that takes nothing and answers once. */
export function operation<
  const Name extends string,
  Output extends z.ZodType,
  Input extends z.ZodType = typeof nothing,
  const RunsOn extends Place = 'reader',
  const AnswersWith extends Answer = 'value',
>(
  definition: Partial<
    Pick<
      Operation,
      'writes' | 'http' | 'mcp' | 'isForHooks' | 'supersededBy' | 'variants' | 'resumes' | 'rawBody' | 'documents'
    > & { place: RunsOn; answer: AnswersWith; input: Input }
  > & { name: Name; summary: string; output: Output },
): Operation<Name, Input, Output, RunsOn, AnswersWith> {
  const defaults = { place: 'reader', answer: 'value', writes: false, input: nothing }
  return { ...defaults, ...definition } as Operation<Name, Input, Output, RunsOn, AnswersWith>
}

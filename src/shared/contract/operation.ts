import type { z } from 'zod'

/** Where an operation runs: reader thread (read-only database), recorder thread (the writer), or the main thread. */
export type Place = 'reader' | 'recorder' | 'main'

/** Who calls a tool, as far as it is known. */
export interface McpCaller {
  /** Its working directory: answers are about it unless all projects are asked for. */
  readonly project: string | null
  /** Its session: what is under way there it sees already. */
  readonly session: string | null
}

/** What an MCP client sees of an operation; the surface adds nothing of its own. */
export interface McpTool {
  readonly name: string
  /** At most two sentences, written to make a model reach for it at the right moment. */
  readonly description: string
  /**
   * text: the string field `text` of the answer, as it is; structured: structuredContent with the output's schema.
   */
  readonly answer: 'text' | 'structured'
  /** Asks the client to show it to its model from the start, where it shows others by name only until they are sought. */
  readonly always?: true
  /** The tool's own arguments where they differ from the operation's, and how they become its input. */
  readonly input: z.ZodType
  readonly toInput: (args: never, caller: McpCaller) => unknown
}

/**
 * One operation of the product: what it is called, takes and gives. Window, HTTP API, MCP and command line are adapters
 * over this list; none of them knows an operation by name.
 */
export interface Operation<
  Name extends string = string,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  /** noun.verb */
  readonly name: Name
  readonly summary: string
  readonly place: Place
  /** value: one answer; stream: batches until the caller leaves or the work is done. */
  readonly answer: 'value' | 'stream'
  /** It changes what is stored or set: never offered to read-only keys. */
  readonly writes: boolean
  readonly input: Input
  /** Of a stream: the schema of one batch. */
  readonly output: Output
  /** Its promised address besides `POST /api/<name>`; `:name` parts and the query become input fields. */
  readonly http?: { readonly method: 'GET' | 'POST'; readonly path: string } | undefined
  readonly mcp?: McpTool | undefined
}

/** Declares what MCP shows of an operation; `toInput` gets the arguments parsed by `input`. */
export function mcpTool<Args extends z.ZodType>(
  tool: Omit<McpTool, 'input' | 'toInput'> & {
    input: Args
    toInput: (args: z.output<Args>, caller: McpCaller) => unknown
  },
): McpTool {
  return tool
}

/** Declares an operation; the defaults are those of a reader. */
export function operation<const Name extends string, Input extends z.ZodType, Output extends z.ZodType>(
  definition: Partial<Pick<Operation, 'place' | 'answer' | 'writes' | 'http' | 'mcp'>> & {
    name: Name
    summary: string
    input: Input
    output: Output
  },
): Operation<Name, Input, Output> {
  return { place: 'reader', answer: 'value', writes: false, ...definition }
}

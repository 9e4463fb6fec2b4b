import { objectOf, filledString, jsonOrNull, listOf, numberOf, stringOf } from './json-fields.ts'
import type { Json } from './json.ts'

/** A reference in place of an image or a document in an output. */
export interface OutputMedia {
  readonly type: string
  readonly mediaType: string | null
  readonly bytes: number
  /** Hash of the image in the event. */
  readonly hash: string
}

/** Returns the references among the blocks of an output. */
export function mediaOf(output: Json): readonly OutputMedia[] {
  return listOf(output).flatMap((block) => {
    const { type, media_type, bytes, hash } = objectOf(block)
    if ((type !== 'image' && type !== 'document') || typeof hash !== 'string') return []
    return [{ type, mediaType: filledString(media_type), bytes: numberOf(bytes) ?? 0, hash }]
  })
}

/** Formats an output: joins text blocks, leaves out references to media and shows anything else as JSON. */
export function outputText(output: Json): string {
  if (typeof output === 'string') return output
  if (Array.isArray(output)) {
    return output
      .filter((block: Json) => mediaOf([block]).length === 0)
      .map((block: Json) => stringOf(objectOf(block)['text']) ?? JSON.stringify(block, null, 2))
      .join('\n')
  }
  return output === null ? '' : JSON.stringify(output, null, 2)
}

/** Removes the tags that a client writes around an error, for the model. */
export const withoutErrorTags = (text: string): string => text.replaceAll(/<\/?tool_use_error>/g, '')

/** Removes what the client adds to an agent's report for the model: its ID and its usage. */
export const agentReport = (text: string): string => text.replace(/\s*^agentId: \S+ \(for resuming[\s\S]*$/m, '')

/** A command's output, without the text that its client wrote around it. */
export interface CommandOutput {
  readonly text: string
  /** Null if the client does not report it. */
  readonly exitCode: number | null
}

const EXIT_LINE = /^(?:Error: )?Exit code (-?\d+)\n?/
/** The lines that Codex writes before an output. */
const HEADER = /^(?:[A-Z][\w /]*: ?[^\n]*\n|Process exited with code [^\n]*\n){1,8}?Output:\n/
const HEADER_CODE = /^(?:Process exited with code|Exit code:) (-?\d+)$/m
/** More text is not parsed as JSON. */
const MAX_JSON = 2_000_000

export function commandOutput(output: string): CommandOutput {
  const first = EXIT_LINE.exec(output)
  if (first !== null) return { text: output.slice(first[0].length), exitCode: Number(first[1]) }
  const header = HEADER.exec(output)?.[0]
  if (header !== undefined) {
    const code = HEADER_CODE.exec(header)?.[1]
    return { text: output.slice(header.length), exitCode: code === undefined ? null : Number(code) }
  }
  // Codex before 0.60.
  const { output: text, metadata } = output.startsWith('{"output"') ? objectOf(parsedJson(output)) : {}
  if (typeof text === 'string') return { text, exitCode: numberOf(objectOf(metadata)['exit_code']) }
  return { text: output, exitCode: null }
}

/** Returns the value of a text that is a JSON object or list, or else undefined. */
export function parsedJson(text: string): Json | undefined {
  const trimmed = text.trim()
  if (trimmed.length > MAX_JSON || !/^(?:\{[\s\S]*\}|\[[\s\S]*\])$/.test(trimmed)) return undefined
  return (jsonOrNull(trimmed) as Json | null) ?? undefined
}

/** A part of a file as a tool showed it. */
export interface FileLines {
  /** Number of the first line. */
  readonly first: number
  readonly code: string
}

const NUMBERED = /^ *(\d+)(?:→|\t)(.*)$/

/** Reads the output of a tool that numbers the lines of a file; null if the lines are not numbered one after the other. */
export function fileLines(output: string): FileLines | null {
  const lines = output.replace(/\n+$/, '').split('\n')
  const first = Number(NUMBERED.exec(lines[0] ?? '')?.[1] ?? Number.NaN)
  if (Number.isNaN(first)) return null
  const code: string[] = []
  for (const [at, line] of lines.entries()) {
    const [, number, text = ''] = NUMBERED.exec(line) ?? []
    if (Number(number) !== first + at) return null
    code.push(text)
  }
  return { first, code: code.join('\n') }
}

/** Returns the answers that a person gave, by question; a client that keeps none in the detail has them in its sentence. */
export function answersOf(output: Json, detail: Json | undefined): ReadonlyMap<string, string> {
  const answers = objectOf(objectOf(detail)['answers'])
  const given = Object.entries(answers).flatMap(([question, answer]): [string, string][] => {
    const list = listOf(answer).length > 0 ? listOf(answer) : listOf(objectOf(answer)['answers'])
    const text = stringOf(answer) ?? list.filter((one) => typeof one === 'string').join(', ')
    return text === '' ? [] : [[question, text]]
  })
  if (given.length > 0) return new Map(given)
  const sentence = outputText(output)
  return new Map(
    [...sentence.matchAll(/"([^"]+)"="([^"]*)"/g)].map(([, question = '', answer = '']) => [question, answer]),
  )
}

/** Returns the pages in the result of a web search: blocks of the API, or a list of links in the client's text. */
export function foundPages(output: Json) {
  const listed = /^Links: (\[.*\])$/m.exec(outputText(output))?.[1]
  const blocks = listed === undefined ? listOf(output) : listOf(parsedJson(listed))
  return blocks.flatMap((block) => {
    const { title, url } = objectOf(block)
    return typeof url === 'string' ? [{ title: filledString(title) ?? url, url }] : []
  })
}

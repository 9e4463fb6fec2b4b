import { documentOf, type Line } from '../../tests/bench/recall-work/work-set.ts'
import type { RecallDocument } from '../../tests/bench/recall-set/judge.ts'
import type { ChangedLine } from './repository.ts'

/** What a session did between two prompts. */
export interface Turn {
  readonly session: string
  /** ISO 8601, of its last edit. */
  at: string
  /** IDs of its texts. */
  readonly texts: string[]
}

/** The texts of sessions, and the turns that wrote each line. */
export interface WrittenLines {
  readonly documents: readonly RecallDocument[]
  /** Returns the turns whose edits wrote a line into a file, oldest first. */
  readonly writersOf: (line: ChangedLine) => readonly Turn[]
}

interface Call {
  readonly type?: unknown
  readonly input?: Edit & { readonly file_path?: unknown; readonly edits?: unknown }
}

interface Edit {
  readonly new_string?: unknown
  readonly content?: unknown
}

/** A shorter line, such as a brace or a return, occurs in many edits. */
const TELLING_CHARACTERS = 16

/** Reads transcripts of Claude Code: their texts, and the lines that their edits wrote. */
export function readWrittenLines(transcripts: Iterable<readonly string[]>): WrittenLines {
  const documents = new Map<string, RecallDocument>()
  /** Paths differ by the folder of the work tree, so lines are found by the name of the file, then by its path. */
  const written = new Map<string, { readonly path: string; readonly turn: Turn }[]>()
  for (const lines of transcripts) {
    let turn: Turn | null = null
    for (const line of lines.flatMap(parsed)) {
      const document = documentOf(line)
      if (document !== null && !documents.has(document.id)) documents.set(document.id, document)
      const at = String(line.timestamp)
      if (document?.kind === 'user_prompt') turn = { session: document.session, at, texts: [] }
      if (turn === null) continue
      if (document !== null) turn.texts.push(document.id)
      for (const { path, text } of editsOf(line)) {
        turn.at = at
        const key = keyOf(path, text)
        written.set(key, [...(written.get(key) ?? []), { path, turn }])
      }
    }
  }
  const writersOf = ({ file, text }: ChangedLine) =>
    text.trim().length < TELLING_CHARACTERS
      ? []
      : (written.get(keyOf(file, text)) ?? [])
          .filter(({ path }) => path.endsWith(`/${file}`))
          .map(({ turn }) => turn)
          .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  return { documents: [...documents.values()], writersOf }
}

const keyOf = (path: string, text: string): string => `${path.slice(path.lastIndexOf('/') + 1)}\n${text.trim()}`

/** Returns the lines that the calls of a transcript line wrote into files. */
function editsOf(line: Line): { readonly path: string; readonly text: string }[] {
  const content = line.message?.content
  const calls = Array.isArray(content) ? (content as Call[]).filter(({ type }) => type === 'tool_use') : []
  return calls.flatMap(({ input = {} }) => {
    const { file_path: path, edits } = input
    if (typeof path !== 'string') return []
    return [input, ...(Array.isArray(edits) ? (edits as Edit[]) : [])]
      .flatMap(({ new_string, content }) => [new_string, content])
      .flatMap((text) => (typeof text === 'string' ? text.split('\n') : []))
      .filter((text) => text.trim().length >= TELLING_CHARACTERS)
      .map((text) => ({ path, text }))
  })
}

/** Transcripts may end in the middle of a line. */
function parsed(text: string): Line[] {
  try {
    return [JSON.parse(text) as Line]
  } catch {
    return []
  }
}

import type { Json } from '../../../shared/event.ts'
import type { Projection } from './projection.ts'

/** Search text of a call or a result: its beginning, and its end, where errors stand. */
const HEAD_CHARACTERS = 6000
const TAIL_CHARACTERS = 2000

/** What recall searches of tool traffic: names and values of calls, texts of results. */
export const toolTexts: Projection = {
  name: 'tool_texts',
  tables: ['tool_texts'],
  open({ prepare }) {
    const insert = prepare('INSERT INTO tool_texts (id, session_id, timestamp, content) VALUES (?, ?, ?, ?)')
    return {
      apply(event) {
        const parts: string[] = []
        if (event.kind === 'tool_call') {
          parts.push(event.payload.tool_name)
          collectStrings(event.payload.input, parts)
        } else if (event.kind === 'tool_result') collectStrings(event.payload.output, parts)
        else return
        const text = bounded(parts.join('\n'))
        if (text !== '') insert.run(event.id, event.session_id, event.ts_wall, text)
      },
    }
  },
}

function bounded(text: string): string {
  if (text.length <= HEAD_CHARACTERS + TAIL_CHARACTERS) return text
  return `${text.slice(0, HEAD_CHARACTERS)} … ${text.slice(-TAIL_CHARACTERS)}`.toWellFormed()
}

/** The strings in a JSON value, in order; `type` fields of content blocks say nothing. */
export function collectStrings(value: Json, into: string[]): void {
  if (typeof value === 'string') into.push(value)
  else if (Array.isArray(value)) for (const item of value) collectStrings(item as Json, into)
  else if (value !== null && typeof value === 'object')
    for (const [key, item] of Object.entries(value)) if (key !== 'type') collectStrings(item as Json, into)
}

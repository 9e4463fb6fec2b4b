import type { AnyEvent, Json } from '../../../shared/event.ts'
import { settled } from '../settled.ts'
import type { Projection } from './projection.ts'
import { createTextIndex } from './text-index.ts'

/** Search text of a call or a result: its beginning, and its end, where errors stand. */
const HEAD_CHARACTERS = 3000
const TAIL_CHARACTERS = 1000

/** What recall searches of tool traffic: names and values of calls, texts of results. */
export const toolTexts: Projection = {
  name: 'tool_texts',
  tables: ['tool_texts'],
  open({ prepare }) {
    const insert = prepare('INSERT INTO tool_texts (id, session_id, timestamp, content) VALUES (?, ?, ?, ?)')
    const remove = prepare('DELETE FROM tool_texts WHERE id = ?')
    const texts = createTextIndex(prepare, 'tools_fts', 'tool_texts')
    const write = (event: AnyEvent) => {
      const text = textOf(event)
      if (text === '') return
      insert.run(event.id, event.session_id, event.ts_wall, text)
      texts.add(event.id)
    }
    return {
      apply: write,
      applySighting(event, sighting, before) {
        if ((event.kind !== 'tool_call' && event.kind !== 'tool_result') || sighting.payload === null) return
        const better = settled(event, [...before, sighting])
        if (textOf(settled(event, before)) === textOf(better)) return
        texts.fill()
        remove.run(event.id)
        write(better)
      },
      index: texts.fill,
      discard: texts.discard,
    }
  },
}

function textOf(event: AnyEvent): string {
  const parts: string[] = []
  // What lies in an archive is searched there.
  if ('digest' in event.payload) return ''
  if (event.kind === 'tool_call') {
    parts.push(event.payload.tool_name)
    collectStrings(event.payload.input, parts)
  } else if (event.kind === 'tool_result') collectStrings(event.payload.output, parts)
  return bounded(parts.join('\n'))
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

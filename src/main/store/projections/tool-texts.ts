import type { AnyEvent, Json } from '../../../shared/event.ts'
import { settled } from '../identity/settled.ts'
import { toolValue } from './column-json.ts'
import type { Projection } from './projection.ts'
import { createTextIndex } from './text-index.ts'

/** Search text of a call or a result: its beginning, and its end, where errors stand. */
const HEAD_CHARACTERS = 3000
const TAIL_CHARACTERS = 1000
/** JSON that is longer, or a longer way through its strings, is taken apart once, not each time its text is asked for. */
const MOST_DRAWN_CHARACTERS = 16_384
const MOST_DRAWN_STEPS = 500_000

/**
 * What recall searches of tool traffic: names and values of calls, texts of results. `tool_texts` is a view that draws a text
 * from its row in `tool_calls` or `tool_results`; a text that cannot be had from there is kept. Triggers of all three tables
 * keep the index in line. Comes before those two: what waits for the index is taken in before one of their rows changes.
 */
export const toolTexts: Projection = {
  name: 'tool_texts',
  tables: ['long_tool_texts', 'tool_texts'],
  drawnFrom: ['tool_calls', 'tool_results'],
  open({ prepare, columnJson }) {
    const keep = prepare('INSERT INTO long_tool_texts (id, session_id, content) VALUES (?, ?, ?)')
    const forget = prepare('DELETE FROM long_tool_texts WHERE id = ?')
    const texts = createTextIndex(prepare, 'tools_fts', 'tool_texts')
    const keepLong = (event: ToolEvent) => {
      const value = toolValue(event)
      if (!isDrawn(columnJson(value, event.payload))) keep.run(event.id, event.session_id, textOf(event, value))
    }
    return {
      apply(event) {
        if (!isOfTool(event)) return
        keepLong(event)
        texts.add(event.id)
      },
      applySighting(event, sighting, before) {
        if (!isOfTool(event) || sighting.payload === null) return
        const better = settled(event, [...before, sighting])
        const [old, value] = [toolValue(settled(event, before)), toolValue(better)]
        if (old === value || JSON.stringify(old) === JSON.stringify(value)) return
        texts.fill()
        forget.run(event.id)
        keepLong(better)
      },
      index: texts.fill,
      discard: texts.discard,
    }
  },
}

type ToolEvent = Extract<AnyEvent, { readonly kind: 'tool_call' | 'tool_result' }>

const isOfTool = (event: AnyEvent): event is ToolEvent => event.kind === 'tool_call' || event.kind === 'tool_result'

/** Whether the view draws the text of a row from its JSON; it goes through what is left of it once for each string. */
function isDrawn(json: string): boolean {
  if (json.length > MOST_DRAWN_CHARACTERS || json.includes('"$content"')) return false
  if (json.startsWith('"') || json.length ** 2 <= MOST_DRAWN_STEPS) return true
  const quotes = json.replaceAll('\\"', '').split('"').length - 1
  return json.length * quotes <= MOST_DRAWN_STEPS
}

function textOf(event: ToolEvent, value: Json): string {
  const parts: string[] = event.kind === 'tool_call' ? [event.payload.tool_name] : []
  collectStrings(value, parts)
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

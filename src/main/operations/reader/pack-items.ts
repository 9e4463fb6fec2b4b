import { HIT_NAMES } from '../../../shared/hit-words.ts'
import { cutAt, type PackItem } from '../../recall/pack.ts'
import { actionsOf, outcomeWord } from '../../recall/tool-actions.ts'
import type { RecallDocRow } from '../../store/read/recall-docs.ts'
import type { Reader } from '../../store/read/reader.ts'
import { shortSession, shortUuid } from '../../store/read/short-ids.ts'
import { toolSteps } from '../../store/read/tool-steps.ts'

/** Returns a document as an item of a pack. */
export function packItem(doc: RecallDocRow, text: string): PackItem {
  const { session_id, turn_id, event_uuid: uuid, timestamp, project } = doc
  return { label: HIT_NAMES[doc.match_type], session_id, turn_id, uuid, timestamp, project, text }
}

/** Places of copies that are looked at: a few of them are named. */
const MAX_PLACES = 20

/** Shortens the ids of items, as long as they still identify one session or event. */
export function withShortIds(reader: Reader, items: readonly PackItem[]): PackItem[] {
  const sessions = new Map<string, string>()
  // All of one length: that of the one that needs most to be unique.
  const length = Math.max(0, ...items.map(({ uuid }) => shortUuid(reader, uuid).length))
  const shortOf = (id: string) => {
    const session = sessions.get(id) ?? shortSession(reader, id)
    sessions.set(id, session)
    return session
  }
  return items.map((item) => {
    const also = item.also?.slice(0, MAX_PLACES).map((place) => ({ ...place, session_id: shortOf(place.session_id) }))
    return { ...item, session_id: shortOf(item.session_id), uuid: item.uuid.slice(0, length), ...(also && { also }) }
  })
}

/** Tool calls of a turn that are read, and actions that are listed. */
const MAX_STEPS = 400
const MAX_ACTIONS = 40
const COMMAND_CHARACTERS = 160

/** Returns a turn's edits and commands, in order, as an item of its pack; empty if it had none. */
function actionsOfTurn(reader: Reader, item: PackItem): PackItem[] {
  const steps = toolSteps(reader, { session_id: item.session_id, turn_id: item.turn_id, limit: MAX_STEPS })
  const lines = steps.reverse().flatMap((step) => {
    return actionsOf(step).map((action) => {
      const what =
        action.kind === 'edit'
          ? `${action.path} +${action.added} −${action.removed}`
          : `$ ${oneLineOf(action.command, COMMAND_CHARACTERS)}`
      return { uuid: step.uuid, line: `${what}: ${outcomeWord(step)}` }
    })
  })
  const [first] = lines
  if (first === undefined) return []
  const more = lines.length > MAX_ACTIONS ? [`… ${lines.length - MAX_ACTIONS} more`] : []
  const text = [...lines.slice(0, MAX_ACTIONS).map(({ line }) => line), ...more].join('\n')
  return [{ ...item, label: 'edits and commands', uuid: first.uuid, text, isExtra: true }]
}

/** Adds each turn's edits and commands after its last item; `most` bounds the characters of each. */
export function withActions(reader: Reader, items: readonly PackItem[], most = Number.POSITIVE_INFINITY): PackItem[] {
  const placeOf = (item: PackItem) => `${item.session_id} ${item.turn_id}`
  const last = new Map(items.map((item, at) => [placeOf(item), at]))
  return items.flatMap((item, at) => {
    if (last.get(placeOf(item)) !== at) return [item]
    return [item, ...actionsOfTurn(reader, item).map((added) => ({ ...added, text: cutAt(added.text, most) }))]
  })
}

/** Returns a text in one line of at most `most` characters. */
export function oneLineOf(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > most ? `${cutAt(line, most - 1)}…` : line
}

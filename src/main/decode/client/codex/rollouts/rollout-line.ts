import type { JsonObject } from '../../../../../shared/event.ts'
import { filledString, isObject, numberOf, objectOf, stringOf } from '../../../../../shared/json-fields.ts'
import { timeOf } from '../../../line-time.ts'

/** A line of a rollout in the form that current versions write. */
export interface RolloutLine {
  /** `session_meta`, `turn_context`, `response_item`, `event_msg`, `token_usage_record`, `compacted` … */
  readonly type: string
  readonly payload: JsonObject
  /** ms since 1970; null if the line has no plausible time. */
  readonly at: number | null
  /** Position in the thread (since 0.150); null in older files. */
  readonly ordinal: number | null
  /** The line is the item itself, as before 0.32. */
  readonly isBare: boolean
}

/** Lines that hold the client's state but nothing of the conversation; often the largest of a file. */
const SILENT =
  /^\{"timestamp":"[^"]{1,40}",(?:"ordinal":\d{1,15},)?"type":"(?:world_state|inter_agent_communication_metadata)"/

/** True for a line that records nothing, judged by its beginning: it need not be parsed. */
export const isSilentLine = (text: string): boolean => SILENT.test(text)

/** True for an object that is a line of its own, and no part of one. */
export const isRecord = (json: JsonObject): boolean =>
  filledString(json['type']) !== null &&
  (isObject(json['payload']) || BARE_ITEMS.some((name) => json[name] !== undefined))

/** Every item that is a line by itself has one of these. */
const BARE_ITEMS = ['role', 'call_id', 'summary', 'action']

/**
 * Reads a line. Files from before 0.32 have no envelope: their first line is the session's, each other line an item.
 * Null for an empty line.
 */
export function rolloutLine(json: JsonObject): RolloutLine | null {
  const type = filledString(json['type'])
  const common = { at: timeOf(json), ordinal: numberOf(json['ordinal']), isBare: false }
  if (isObject(json['payload'])) return { ...common, type: type ?? 'none', payload: json['payload'] }
  if (json['record_type'] !== undefined) return null
  if (type !== null) return { ...common, isBare: true, type: 'response_item', payload: json }
  if (filledString(json['id']) !== null) return { ...common, type: 'session_meta', payload: json }
  return { ...common, type: 'none', payload: json }
}

/** The turn that a line belongs to, if it names one. */
export function turnIdOf({ type, payload }: RolloutLine): string | null {
  if (type !== 'response_item') return filledString(payload['turn_id'])
  return filledString(objectOf(payload['internal_chat_message_metadata_passthrough'])['turn_id'])
}

/** Kinds of a message's parts, such as `user.text`, by which the client marks their author; null in older files. */
export function contentKindsOf(item: JsonObject): readonly string[] | null {
  const kinds = objectOf(item['internal_chat_message_metadata_passthrough'])['content_item_kinds']
  const named = Array.isArray(kinds) ? kinds.map((kind) => stringOf(kind) ?? 'unknown') : []
  return named.length === 0 || named.includes('unknown') ? null : named
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/

/** Returns the moment in which a UUIDv7 was made, in ms since 1970; null for any other text. */
export const timeOfUuid = (uuid: string): number | null =>
  UUID.exec(uuid)?.[1] === '7' ? Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16) : null

/** Returns the thread that a rollout's file name ends with; otherwise the name itself, without its ending. Null without a path. */
export function threadOfPath(path: string | undefined): string | null {
  const name = /([^/\\]+)\.json(?:l(?:\.(?:zst|gz))?)?$/.exec(path ?? '')?.[1]
  return name === undefined ? null : (/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(name)?.[0] ?? name)
}

import { firstCharacters } from '../../shared/cut-text.ts'
import type { Json, JsonObject, MediaReference } from '../../shared/event.ts'
import type { DraftBase } from './draft-base.ts'
import { naturalKey, type EventDraft } from './draft.ts'
import { filledString, isObject, listOf, numberOf, objectOf, stringOf } from '../../shared/json-fields.ts'
import { withoutErrorTags } from '../../shared/tool-output.ts'
import { withReferences, type HashText } from './media.ts'

/** Tool results of calls that a person or their rule refused; the texts vary by tool and version. */
const DENIALS = [
  /requested permissions? to (?:use|read|write|edit|run|access|fetch)/i,
  /haven't granted it yet/,
  /The user doesn't want to (?:proceed with this tool use|take this action)/,
  /Permission (?:to use|for) .* (?:has been|was) denied/i,
  /requires? approval/,
  /needs approval\./,
  /^\[Request interrupted by user for tool use\]/,
  /was blocked\. For security/,
  /denied by (?:your|the user's) permission (?:settings|rules)/i,
]
const REMINDER = '<system-reminder>'
const END_OF_REMINDER = '</system-reminder>'
const MAX_ERROR_CHARS = 500

export interface ToolResultFacts {
  readonly callId: string
  readonly toolName: string | null
  readonly content: Json | undefined
  readonly isError: boolean
  /** The transcript gives the reason why a call was rejected (`toolDenialKind`). */
  readonly denialKind?: string | null
  readonly detail?: Json | undefined
  /** The call's input, if the source still has it. */
  readonly input?: Json | undefined
  readonly durationMs?: number | null
  readonly serverSide?: boolean
  readonly seenInHistory?: boolean
}

/** Decodes a tool result, with equal results from request, hook and transcript. */
export function toolResultDraft(
  base: DraftBase,
  facts: ToolResultFacts,
  hash: HashText,
  extra: Partial<Pick<EventDraft, 'keys' | 'parents' | 'uuid' | 'sighting'>> = {},
): EventDraft<'tool_result'> {
  const media: MediaReference[] = []
  const output = normalOutput(facts.content, hash, media)
  const text = outputText(output)
  const rejected =
    facts.isError && (filledString(facts.denialKind) !== null || DENIALS.some((denial) => denial.test(text)))
  const detail = facts.detail === undefined ? diffOfInput(facts) : withReferences(trimmedDetail(facts.detail), hash, [])
  return {
    ...base,
    kind: 'tool_result',
    payload: {
      call_id: facts.callId,
      tool_name: facts.toolName,
      output,
      is_error: facts.isError,
      rejected,
      ...(media.length > 0 ? { media } : {}),
      ...(facts.serverSide ? { server_side: true } : {}),
      ...(facts.seenInHistory ? { seen_in_history: true } : {}),
      ...(detail === undefined ? {} : { detail }),
    },
    duration_ms: facts.durationMs ?? null,
    success: !facts.isError,
    error_message: facts.isError ? errorText(text) : null,
    keys: [naturalKey.result(facts.callId), ...(extra.keys ?? [])],
    parents: extra.parents ?? [naturalKey.call(facts.callId)],
    sighting: extra.sighting ?? {
      output,
      is_error: facts.isError,
      rejected,
      ...(facts.toolName === null ? {} : { tool_name: facts.toolName }),
      ...(facts.durationMs === undefined || facts.durationMs === null ? {} : { duration_ms: facts.durationMs }),
      ...(detail === undefined ? {} : { detail }),
      ...(facts.isError ? { error_message: errorText(text) } : {}),
    },
    ...(extra.uuid === undefined ? {} : { uuid: extra.uuid }),
  }
}

/**
 * Returns a text if there is only text, or else the blocks; without the reminders that are appended for older models.
 */
function normalOutput(content: Json | undefined, hash: HashText, media: MediaReference[]): Json {
  if (content === undefined || content === null) return ''
  if (typeof content === 'string') return withoutReminders(content)
  const blocks = Array.isArray(content) ? listOf(content) : null
  if (blocks && blocks.length > 0 && blocks.every((block) => isObject(block) && stringOf(block['text']) !== null))
    return withoutReminders(blocks.map((block) => stringOf(objectOf(block)['text']) ?? '').join('\n'))
  return withReferences(withoutCacheControl(content), hash, media)
}

/**
 * Cuts the reminders at the end of a text. Reminders elsewhere are part of it: a file that was read may contain some.
 */
function withoutReminders(text: string): string {
  let rest = text
  for (let end = text.trimEnd(); end.endsWith(END_OF_REMINDER); end = rest) {
    const begin = end.lastIndexOf(REMINDER)
    if (begin < 0) break
    rest = end.slice(0, begin).trimEnd()
  }
  return rest
}

function withoutCacheControl(content: Json): Json {
  if (!Array.isArray(content)) return content
  return content.map((block: Json) => {
    if (!isObject(block) || !('cache_control' in block)) return block
    const { cache_control: _, ...rest } = block
    return rest
  })
}

/** The readable part of an output. */
export function outputText(output: Json): string {
  if (typeof output === 'string') return output
  return listOf(output)
    .map((block) => stringOf(objectOf(block)['text']) ?? '')
    .filter((text) => text !== '')
    .join('\n')
}

function errorText(text: string): string {
  const bare = withoutErrorTags(text)
    .replace(/^Error: /, '')
    .trim()
  return bare.length > MAX_ERROR_CHARS ? `${firstCharacters(bare, MAX_ERROR_CHARS)}…` : bare || 'error'
}

/**
 * Builds an edit's change in the form of the client's structured patch from the input alone, and therefore without line
 * numbers.
 */
function diffOfInput({ toolName, input, isError }: ToolResultFacts): JsonObject | undefined {
  if (isError || !isObject(input)) return undefined
  const edits = toolName === 'Edit' ? [input] : toolName === 'MultiEdit' ? listOf(input['edits']) : []
  const hunks = edits.flatMap((edit) => {
    const before = stringOf(objectOf(edit)['old_string'])
    const after = stringOf(objectOf(edit)['new_string'])
    if (before === null || after === null) return []
    return [{ oldStart: null, newStart: null, lines: [...marked('-', before), ...marked('+', after)] }]
  })
  return hunks.length === 0 ? undefined : { filePath: input['file_path'] ?? null, structuredPatch: hunks }
}

/**
 * Returns the client's structured result without data recorded elsewhere: the file before an edit, the content read.
 */
function trimmedDetail(detail: Json): Json {
  if (!isObject(detail)) return detail
  const { originalFile: _, oldTodos: __, ...rest } = detail
  const file = rest['file']
  if (!isObject(file) || typeof file['content'] !== 'string') return rest
  const { content: ___, ...shape } = file
  return { ...rest, file: shape }
}

const marked = (mark: '-' | '+', text: string): readonly string[] =>
  text === '' ? [] : text.split('\n').map((line) => `${mark}${line}`)

/** Returns the call's duration by the client's structured result (`durationMs`, `totalDurationMs`). */
export function detailDuration(detail: Json | undefined): number | null {
  const object = objectOf(detail)
  return numberOf(object['totalDurationMs']) ?? numberOf(object['durationMs'])
}

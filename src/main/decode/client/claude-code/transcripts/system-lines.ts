import { failureOrigin } from '../../../../../shared/failures.ts'
import type { JsonObject } from '../../../../../shared/event.ts'
import { failureIdentity, PROMPT_WINDOW_MS, type DraftBase } from '../../../draft-base.ts'
import { naturalKey, type AnyDraft } from '../../../draft.ts'
import { filledString, listOf, numberOf, objectOf, stringOf } from '../../../../../shared/json-fields.ts'
import { outputDrafts } from '../message-marks.ts'
import { promptText } from '../prompt-text.ts'
import type { PendingBoundary } from './user-lines.ts'

/** Subtypes that only repeat other lines. */
const SILENT_SUBTYPES: ReadonlySet<string> = new Set([
  'stop_hook_summary',
  'turn_duration',
  'away_summary',
  'thinking',
  // 2.1.330: written next to the client's own answer with the same content.
  'model_refusal_no_fallback',
])

/** True for a line that is written once a turn is over: its Stop hooks ran and let it end, or its duration is known. */
export const isAfterTurn = ({ subtype, hookErrors }: JsonObject): boolean =>
  subtype === 'turn_duration' || (subtype === 'stop_hook_summary' && listOf(hookErrors).length === 0)

/** What Claude Code 2.1.332 writes in place of a prompt that a hook blocked. */
const BLOCKED = /^UserPromptSubmit operation blocked by hook:[\s\S]*?\n\nOriginal prompt: ([\s\S]+)$/

/** Decodes a `system` line, by its subtype. A boundary is held back until its summary arrives. */
export function systemLineDrafts(
  base: DraftBase,
  line: JsonObject,
): { readonly drafts: AnyDraft[]; readonly boundary?: PendingBoundary } {
  const subtype = stringOf(line['subtype']) ?? 'none'
  const uuid = filledString(line['uuid'])
  const keys = uuid === null ? [] : [naturalKey.line(uuid)]
  const content = stringOf(line['content']) ?? ''
  if (SILENT_SUBTYPES.has(subtype)) return { drafts: [] }
  if (subtype === 'compact_boundary' || subtype === 'microcompact_boundary') {
    const metadata = objectOf(line['compactMetadata'] ?? line['microcompactMetadata'])
    const { trigger } = metadata
    const sizes: PendingBoundary['sizes'] = {
      trigger: trigger === 'manual' || trigger === 'auto' ? trigger : 'unknown',
      tokens_before: numberOf(metadata['preTokens']),
      tokens_after: numberOf(metadata['postTokens']),
    }
    if (subtype === 'compact_boundary') return { drafts: [], boundary: { base, key: keys[0] ?? null, sizes } }
    return {
      drafts: [
        { ...base, kind: 'state_change', payload: { name: 'microcompaction', to: metadata }, keys, parents: [] },
      ],
    }
  }
  if (subtype === 'api_error') return { drafts: [apiError(base, line, keys)] }
  if (subtype === 'local_command') {
    const text = promptText(content)
    if (text === '')
      return { drafts: [...outputDrafts(base, content, keys[0] ?? 'line', { key: '', parents: [], past: false })] }
    return {
      drafts: [
        {
          ...base,
          kind: 'user_prompt',
          payload: { text, prompt_id: filledString(line['promptId']), entered_as: 'local_command' },
          keys,
          text_identity: { text, within_ms: null },
          parents: [],
        },
      ],
    }
  }
  if (content.trim() !== '') {
    const blocked = BLOCKED.exec(content)?.[1]?.trim()
    const level = filledString(line['level'])
    return {
      drafts: [
        ...(blocked === undefined ? [] : [blockedPrompt(base, blocked, keys)]),
        {
          ...base,
          kind: 'notification',
          payload: { text: content, level },
          keys,
          text_identity: { text: content, within_ms: PROMPT_WINDOW_MS },
          parents: [],
        },
      ],
    }
  }
  return {
    drafts: [
      { ...base, kind: 'unknown', payload: { what: `transcript:system:${subtype}`, raw: line }, keys, parents: [] },
    ],
  }
}

/** Takes a prompt back that our hook told of: another hook kept it from the model, so nothing ends its turn. */
const blockedPrompt = (base: DraftBase, text: string, keys: readonly string[]): AnyDraft => ({
  ...base,
  kind: 'user_prompt',
  payload: { text },
  keys: keys.map((key) => `${key}:blocked`),
  text_identity: { text, within_ms: PROMPT_WINDOW_MS },
  parents: [],
  sighting: { not_a_prompt: true },
  only_as_sighting: true,
})

function apiError(base: DraftBase, line: JsonObject, keys: readonly string[]): AnyDraft {
  const error = objectOf(line['error'])
  const inner = objectOf(objectOf(error['error'])['error'])
  const message =
    stringOf(inner['message']) ?? stringOf(error['message']) ?? filledString(line['content']) ?? 'API error'
  const retryMs = numberOf(line['retryInMs'])
  return {
    ...base,
    kind: 'error',
    payload: {
      origin: failureOrigin(message, 'client'),
      type: stringOf(inner['type']),
      message,
      status: numberOf(error['status']),
      retry_after_s: retryMs === null ? null : retryMs / 1000,
    },
    success: false,
    error_message: message,
    ...failureIdentity(stringOf(error['requestId']), keys),
    parents: [],
  }
}

/** Decodes a boundary whose summary never came. */
export function lostBoundary(boundary: PendingBoundary): AnyDraft[] {
  return [
    {
      ...boundary.base,
      kind: 'compaction',
      payload: { ...boundary.sizes, summary: '' },
      keys: boundary.key === null ? [] : [boundary.key],
      parents: [],
    },
  ]
}

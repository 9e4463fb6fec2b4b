import type { AnyDraft } from '../../decode/draft.ts'
import { partsOf } from '../../base/words.ts'
import { contentRow, type ContentRow } from '../log/contents.ts'
import { identityDigest, withIdentity } from '../identity/text-keys.ts'
import { isPlain, packPayload, shownField, type Packed } from '../log/payload.ts'
import { columnJson, isDrawn, toolValue } from './column-json.ts'
import { recallText } from './recall-text.ts'

/** A payload in the form that the store writes, prepared on another thread. */
export interface PreparedPayload extends Omit<Packed, 'shown'> {
  /** The contents that it refers to, by hash. */
  readonly contents: ReadonlyMap<string, ContentRow>
  /** For a text that can be recalled, the `parts` of its index row; else null. */
  readonly parts: string | null
  /** For a call or a result that is not inline, the JSON of its row; else null. */
  readonly column: string | null
  /** True if the event's row holds the text that a view shows word for word. */
  readonly isInline: boolean
  /** True for a call or a result whose search text the view `tool_texts` derives. */
  readonly isDrawn: boolean
}

/** Prepared payloads of a batch of drafts, for transfer between threads: the bytes of all contents in one buffer. */
export interface PreparedBatch {
  readonly payloads: readonly (Omit<Packed, 'shown'> & {
    readonly contents: readonly (readonly [hash: string, row: Omit<ContentRow, 'data'>, from: number, to: number])[]
    readonly parts: string | null
    readonly column: string | null
    readonly isInline: boolean
    readonly isDrawn: boolean
  })[]
  readonly data: Uint8Array
}

/** Adds the digest of the text that identifies a draft. `hash` is the store's keyed hash. */
export function withDigest(draft: AnyDraft, hash: (text: string) => string): AnyDraft {
  const identified = withIdentity(draft)
  const { text_identity: identity } = identified
  if (identity === undefined) return identified
  return { ...identified, text_identity: { ...identity, text: identityDigest(identity.text, hash) } }
}

/** Prepares a batch of drafts. `hash` is the store's keyed hash. */
export function prepareBatch(drafts: readonly AnyDraft[], hash: (text: string) => string): PreparedBatch {
  const pieces: Uint8Array[] = []
  let end = 0
  const payloads = drafts.map((draft) => {
    const contents = new Map<string, readonly [string, Omit<ContentRow, 'data'>, number, number]>()
    const shown = shownField(draft.kind)
    const {
      json,
      references,
      shown: shownJson,
    } = packPayload(
      draft.payload,
      (text, children) => {
        const key = hash(text)
        if (contents.has(key)) return key
        const { data, ...row } = contentRow(text, children)
        pieces.push(data)
        contents.set(key, [key, row, end, (end += data.length)])
        return key
      },
      { shown },
    )
    const text = recallText(draft)
    const parts = text === '' ? null : partsOf(text)
    const isOfTool = draft.kind === 'tool_call' || draft.kind === 'tool_result'
    const isInline = shownJson === null ? references.length === 0 && isPlain(json) : isPlain(shownJson)
    const column = isOfTool && !isInline ? columnJson(toolValue(draft), hash) : null
    const isDerived = isOfTool && isDrawn(column ?? shownJson ?? 'null')
    return { json, references, contents: [...contents.values()], parts, column, isInline, isDrawn: isDerived }
  })
  return { payloads, data: joined(pieces, end) }
}

/** Avoids Buffer.concat: transferring a slice of Node's shared pool would send the whole pool. */
function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/**
 * Prepared forms of payloads that are about to be written. A form is valid only for the very object that it came with: if a
 * limit or a processor replaced the object, the store prepares the payload itself.
 */
export interface PreparedPayloads {
  take(drafts: readonly AnyDraft[], batch: PreparedBatch): void
  of(payload: object): PreparedPayload | undefined
}

export function createPreparedPayloads(): PreparedPayloads {
  const known = new WeakMap<object, PreparedPayload>()
  return {
    take(drafts, { payloads, data }) {
      for (const [at, { payload }] of drafts.entries()) {
        const prepared = payloads[at]
        if (prepared === undefined) continue
        const contents = new Map(
          prepared.contents.map(([hash, row, from, to]) => [hash, { ...row, data: data.subarray(from, to) }]),
        )
        known.set(payload, { ...prepared, contents })
      }
    },
    of: (payload) => known.get(payload),
  }
}

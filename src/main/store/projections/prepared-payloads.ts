import type { AnyDraft } from '../../decode/draft.ts'
import { partsOf } from '../../base/words.ts'
import { contentRow, type ContentRow } from '../log/contents.ts'
import { identityDigest, withIdentity } from '../identity/text-keys.ts'
import { isPlain, packPayload, shownField, type Packed } from '../log/payload.ts'
import { columnJson, isDrawn, toolValue } from './column-json.ts'
import { recallText } from './recall-text.ts'

/** A payload in the form that the store writes, prepared on another thread. */
export interface PreparedPayload extends Pick<Packed, 'references'> {
  /** JSON for the column `payload`, in UTF-8. */
  readonly json: Uint8Array
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

type SentContent = readonly [hash: string, row: Omit<ContentRow, 'data'>, from: number, to: number]

/** Prepared payloads of a batch of drafts, for transfer between threads: all JSON and contents as bytes of one buffer. */
export interface PreparedBatch {
  readonly payloads: readonly (Omit<PreparedPayload, 'json' | 'contents'> & {
    readonly json: readonly [from: number, to: number]
    readonly contents: readonly SentContent[]
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
  const pieces: (Uint8Array | string)[] = []
  let end = 0
  const place = (piece: Uint8Array | string): [from: number, to: number] => {
    pieces.push(piece)
    return [end, (end += Buffer.byteLength(piece))]
  }
  const payloads = drafts.map((draft) => {
    const contents = new Map<string, SentContent>()
    const shown = shownField(draft.kind)
    const packed = packPayload(
      draft.payload,
      (text, children) => {
        const key = hash(text)
        if (contents.has(key)) return key
        const { data, ...row } = contentRow(text, children)
        contents.set(key, [key, row, ...place(data)])
        return key
      },
      { shown },
    )
    const { references, shown: shownJson } = packed
    const text = recallText(draft)
    const parts = text === '' ? null : partsOf(text)
    const isOfTool = draft.kind === 'tool_call' || draft.kind === 'tool_result'
    const isInline = shownJson === null ? references.length === 0 && isPlain(packed.json) : isPlain(shownJson)
    const column = isOfTool && !isInline ? columnJson(toolValue(draft), hash) : null
    const isDerived = isOfTool && isDrawn(column ?? shownJson ?? 'null')
    const json = place(packed.json)
    return { json, references, contents: [...contents.values()], parts, column, isInline, isDrawn: isDerived }
  })
  return { payloads, data: joined(pieces, end) }
}

/** Avoids Buffer.concat: transferring a slice of Node's shared pool would send the whole pool. */
function joined(pieces: readonly (Uint8Array | string)[], length: number): Uint8Array {
  const whole = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const piece of pieces) {
    if (typeof piece === 'string') at += whole.write(piece, at)
    else {
      whole.set(piece, at)
      at += piece.length
    }
  }
  return whole
}

/**
 * Prepared forms of payloads that are about to be written. A form is valid only for the very object that it came with: if a
 * limit or a processor replaced the object, the store prepares the payload itself.
 */
export type PreparedPayloads = ReturnType<typeof createPreparedPayloads>

export function createPreparedPayloads() {
  const known = new WeakMap<object, PreparedPayload>()
  /** The last answer: several projections ask for the same payload in a row. */
  let last: { readonly payload: object; readonly prepared: PreparedPayload | undefined } | null = null
  return {
    take(drafts: readonly AnyDraft[], { payloads, data }: PreparedBatch) {
      for (const [at, { payload }] of drafts.entries()) {
        const prepared = payloads[at]
        if (prepared === undefined) continue
        const contents = new Map(
          prepared.contents.map(([hash, row, from, to]) => [hash, { ...row, data: data.subarray(from, to) }]),
        )
        known.set(payload, { ...prepared, json: data.subarray(...prepared.json), contents })
      }
      last = null
    },
    of(payload: object): PreparedPayload | undefined {
      if (last?.payload !== payload) last = { payload, prepared: known.get(payload) }
      return last.prepared
    },
  }
}

import { firstCharacters } from '../../../shared/cut-text.ts'
import type { EventKind, Payloads } from '../../../shared/event.ts'

/** Characters of a text that are copied to the index rows of its neighbours. */
const DIGEST_CHARACTERS = 400

/** A text that recall can find, with the name that recall gives to its kind. */
export interface RecallText {
  readonly type: 'user_prompt' | 'thinking' | 'assistant_response' | 'compaction'
  readonly text: string
}

/** The fields of an event that its draft has, too. */
type Indexable = { [Kind in EventKind]: { readonly kind: Kind; readonly payload: Payloads[Kind] } }[EventKind]

/** Returns the text for recall of an event or its draft; '' if there is none. */
export const recallText = (event: Indexable): string => typedRecallText(event)?.text ?? ''

/** Returns the text for recall of an event with its type; null if there is none. */
export function typedRecallText(event: Indexable): RecallText | null {
  switch (event.kind) {
    case 'user_prompt':
      return filled('user_prompt', event.payload.text)
    case 'thinking':
      return filled('thinking', event.payload.text)
    case 'assistant_text':
      return filled('assistant_response', event.payload.text)
    case 'compaction':
      return filled('compaction', event.payload.summary)
    default:
      return null
  }
}

const filled = (type: RecallText['type'], text: string): RecallText | null => (text === '' ? null : { type, text })

/** Returns the text for recall in a stored payload, whose event is known to have one. */
export function textInPayload(payload: { readonly [key: string]: unknown }): string {
  const text = payload['text'] ?? payload['summary']
  return typeof text === 'string' ? text : ''
}

/** Returns the beginning of a text, for the index rows of its neighbours. */
export const digestOf = (text: string): string => firstCharacters(text, DIGEST_CHARACTERS)

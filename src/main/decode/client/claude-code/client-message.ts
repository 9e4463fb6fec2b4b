import { firstCharacters } from '../../../../shared/cut-text.ts'
import type { DraftBase } from '../../draft-base.ts'
import type { AnyDraft } from '../../draft.ts'
import type { HashText } from '../../media.ts'
import { MINUTE_MS } from '../../../../shared/time-units.ts'

/** The log needs these words only to recognise them; the request that carried them has the whole text. */
const MAX_CHARACTERS = 500

/**
 * Decodes a message that the client wrote without a person, as a transcript marks it. The wire has no such mark. A
 * request that shows the same words within a minute, or in its history, finds this event, so they do not become a
 * prompt.
 */
export function clientMessageDraft(
  base: DraftBase,
  message: { readonly text: string; readonly key: string; readonly parents: readonly string[] },
  hash: HashText,
): AnyDraft {
  const { text, key, parents } = message
  const minute = minuteOf(base.ts_wall)
  return {
    ...base,
    kind: 'state_change',
    payload: { name: 'client_message', to: firstCharacters(text, MAX_CHARACTERS) },
    keys: [
      `${key}:client`,
      ...[minute - 1, minute, minute + 1].map((near) => `${anyTime(base.session_id, text, hash)}:${near}`),
      anyTime(base.session_id, text, hash),
    ],
    parents,
  }
}

/** Keys under which a prompt on the wire may be known as the client's own; `past`: shown in a request's history. */
export function clientMessageKeys(base: DraftBase, text: string, past: boolean, hash: HashText): readonly string[] {
  const key = anyTime(base.session_id, text, hash)
  return [past ? key : `${key}:${minuteOf(base.ts_wall)}`]
}

const anyTime = (sessionId: string, text: string, hash: HashText): string =>
  `client-message:${sessionId}:${hash(text.replaceAll('\r\n', '\n').trim())}`

const minuteOf = (time: string): number => Math.floor(Date.parse(time) / MINUTE_MS)

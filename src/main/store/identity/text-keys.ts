import type { AnyDraft } from '../../decode/draft.ts'

/** Marks a text_identity whose text is already a digest (see spool.ts). */
export const DIGEST_MARK = '\u0000digest:'

/** Returns the digest that replaces an identity's text where the text itself must not be written. */
export const identityDigest = (text: string, hash: (text: string) => string): string =>
  text.startsWith(DIGEST_MARK) ? text : DIGEST_MARK + hash(text.replaceAll('\r\n', '\n').trim())

/** Returns the key of a text in its session and kind, up to the number of its occurrence. */
export function textKeyPrefix(
  { session_id, kind }: Pick<AnyDraft, 'session_id' | 'kind'>,
  text: string,
  hash: (text: string) => string,
): string {
  return `text:${hash(`${session_id}\0${kind}\0${identityDigest(text, hash)}`)}:`
}

/** Formats the number of an occurrence for a key, padded so that keys sort like numbers. */
export const occurrence = (k: number): string => String(k).padStart(6, '0')

/**
 * Adds the text that identifies a draft, also to blocks of an answer: a request's history shows them without their
 * message's id, before or after they come with it. Must run before the text is cut.
 */
export function withIdentity(draft: AnyDraft): AnyDraft {
  if (draft.text_identity || (draft.kind !== 'thinking' && draft.kind !== 'assistant_text')) return draft
  return draft.payload.text === '' ? draft : { ...draft, text_identity: { text: draft.payload.text, within_ms: null } }
}

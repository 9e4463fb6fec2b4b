import type { DraftBase } from '../../draft-base.ts'
import type { AnyDraft } from '../../draft.ts'
import { parseJson } from '../../json-access.ts'
import { filledString, isObject } from '../../../../shared/json-fields.ts'
import type { HashText } from '../../media.ts'

/** Returns the key of a session's title, equal for the request that made it and for the transcript's line. */
export const titleKey = (sessionId: string, name: 'title' | 'custom_title', titleHash: string): string =>
  `title:${sessionId}:${name}:${titleHash}`

/** Fields of the answer; older versions say whether the topic is new, others name a branch. */
const FIELDS: ReadonlySet<string> = new Set(['title', 'isNewTopic', 'branch'])

/** Returns a title from a side call's answer, `{"title": …}`; nothing if the call requested something else. */
export function titleDrafts(
  base: DraftBase,
  answer: string,
  parents: readonly string[],
  hash: HashText,
): readonly AnyDraft[] {
  const json = parseJson(answer)
  if (!isObject(json) || !Object.keys(json).every((name) => FIELDS.has(name))) return []
  const title = filledString(json['title'])?.trim() ?? ''
  if (title === '') return []
  const payload = { name: 'title', to: title }
  return [{ ...base, kind: 'state_change', payload, keys: [titleKey(base.session_id, 'title', hash(title))], parents }]
}

import type { JsonObject } from '../../shared/event.ts'
import { filledString, isObject, listOf, numberOf, stringOf } from '../../shared/json-fields.ts'
import { WHY_NOT, type SeenFile } from '../../shared/seen-file.ts'
import { isoTime, type DraftBase } from './draft-base.ts'
import { naturalKey, type EventDraft } from './draft.ts'
import type { HashText } from './media.ts'

/** Decodes Aspy's own hook of what a command changed on the disk: an event for each file, and one that there was no other. */
export function filesSeenDrafts(base: DraftBase, hook: JsonObject, hash: HashText): EventDraft<'file_seen'>[] {
  const [callId, root] = [filledString(hook['tool_use_id']), filledString(hook['root'])]
  if (callId === null || root === null) return []
  const since = numberOf(hook['since'])
  const draft = (file: SeenFile): EventDraft<'file_seen'> => ({
    ...base,
    ...(file.at === 'before' && since !== null ? { ts_wall: isoTime(since), ts_monotonic: null } : {}),
    kind: 'file_seen',
    payload: { call_id: callId, ...file, is_sure: hook['is_sure'] === true },
    keys: [`seen:${callId}:${file.at}:${file.path}`],
    parents: [naturalKey.call(callId)],
  })
  const files = listOf(hook['files'] ?? null).flatMap((file): SeenFile[] => {
    const path = isObject(file) ? filledString(file['path']) : null
    if (!isObject(file) || path === null) return []
    const [found, like] = [filledString(file['hash']), filledString(file['like'])]
    return [
      {
        path,
        at: file['at'] === 'before' ? 'before' : 'after',
        // Nobody can test guesses against a keyed hash.
        hash: found === null ? null : hash(found),
        text: stringOf(file['text']),
        why_not: WHY_NOT.find((why) => why === file['why_not']) ?? null,
        ...(like === null ? {} : { like }),
      },
    ]
  })
  return [...files, { path: root, at: 'after', hash: null, text: null, why_not: 'no_other' } as const].map(draft)
}

import { AspyError } from '../../../shared/contract/errors.ts'
import type { WritableDb } from '../database/connection.ts'

const MAX_TAGS = 50

/** Returns a function that adds tags to a session, or removes them. Its label must exist. @throws AspyError bad_input */
export function createTagger(db: WritableDb) {
  const read = db.prepare<[string], string | null>('SELECT tags FROM session_labels WHERE session_id = ?').pluck()
  const write = db.prepare<[string | null, string]>('UPDATE session_labels SET tags = ? WHERE session_id = ?')
  return (
    id: string,
    { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
  ): void => {
    if (add.length + remove.length === 0) return
    const before = JSON.parse(read.get(id) ?? '[]') as string[]
    const tags = [...new Set([...before, ...add])].filter((tag) => !remove.includes(tag))
    if (tags.length > MAX_TAGS) throw new AspyError('bad_input', `a session has at most ${MAX_TAGS} tags`)
    const sorted = tags.toSorted((one, other) => one.localeCompare(other, 'en'))
    write.run(sorted.length === 0 ? null : JSON.stringify(sorted), id)
  }
}

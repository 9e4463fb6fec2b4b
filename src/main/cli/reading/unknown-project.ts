import { describeNotes } from '../../../shared/recall-notes.ts'
import type { Client } from '../client.ts'
import { plain } from '../table.ts'

/** Returns a sentence that lists the recorded projects if none has this path or folder name; else undefined. */
export async function unknownProject(client: Client, project: string | undefined): Promise<string | undefined> {
  if (project === undefined || project === '') return undefined
  // A search knows which of its arguments select nothing. Its hits are not used.
  const { notes } = await client.call('recall.search', { query: 'project', project, limit: 1 })
  const [unknown] = (notes?.unknown ?? []).filter(({ name }) => name === 'project')
  if (unknown === undefined) return undefined
  return plain(describeNotes({ as_text: [], minus_words: [], unknown: [unknown] }).join(' '))
}

import { fold, indexedText, partsOf, tokensOf } from '../../base/words.ts'
import type { Transaction } from './connection.ts'

/** The characters that are searched of a text, and of its parts: a `tsvector` has at most 1 MB. */
const MAX_CHARACTERS = 150_000
const MAX_PARTS_CHARACTERS = 60_000
/** Texts whose words are written with one statement. */
const BATCH = 500

/** Returns the words of a text as a laptop's index has them, for the column `words`. */
export function searchedWords(content: string): string {
  const text = content.slice(0, MAX_CHARACTERS)
  const words = tokensOf(indexedText(text)).map(fold).join(' ')
  return `${words} ${partsOf(text).slice(0, MAX_PARTS_CHARACTERS)}`
}

/** Writes the words of all texts, and then their index. */
export async function rewriteWords(tx: Transaction): Promise<void> {
  let after = { uuid: '00000000-0000-0000-0000-000000000000', member_id: 0, month: '0001-01-01' }
  for (;;) {
    const rows = await tx<{ uuid: string; member_id: number; month: string; content: string }[]>`
      SELECT uuid, member_id, month::text, content FROM texts
      WHERE (uuid, member_id, month) > (${after.uuid}::uuid, ${after.member_id}::integer, ${after.month}::date)
      ORDER BY uuid, member_id, month LIMIT ${BATCH}`
    const last = rows.at(-1)
    if (last === undefined) break
    after = last
    const words = rows.map(({ content }) => searchedWords(content))
    await tx`UPDATE texts t SET words = to_tsvector('english', w.words)
      FROM unnest(${rows.map(({ uuid }) => uuid)}::uuid[], ${rows.map(({ member_id: id }) => id)}::integer[],
        ${rows.map(({ month }) => month)}::date[], ${words}::text[]) AS w (uuid, member_id, month, words)
      WHERE t.uuid = w.uuid AND t.member_id = w.member_id AND t.month = w.month`
  }
  await tx`CREATE INDEX texts_words ON texts USING gin (words) WITH (fastupdate = off)`
}

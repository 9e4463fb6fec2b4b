import type { Reader } from './reader.ts'

/** Returns the title of a session, as a person or else the client named it; null if it has none. */
export function titleOfSession(reader: Reader, id: string): string | null {
  const row = reader.get<{ title: string | null }>(
    `SELECT coalesce(l.title, s.title) AS title FROM sessions s LEFT JOIN session_labels l ON l.session_id = s.id WHERE s.id = ?`,
    id,
  )
  return row?.title ?? null
}

/** Returns a function that gives the title of a session as a field of a hit, and reads each session once. */
export function createTitles(reader: Reader): (sessionId: string) => { session_title?: string } {
  const titles = new Map<string, string | null>()
  return (id) => {
    const title = titles.has(id) ? titles.get(id) : titleOfSession(reader, id)
    titles.set(id, title ?? null)
    return title === null || title === undefined ? {} : { session_title: title }
  }
}

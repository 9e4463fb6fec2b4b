import type { ReadContext } from './scope.ts'
import type { TeamEventRow } from './events.ts'

/** Puts long texts back into payloads: `{"$content": hash}` of a content that belongs to the event. */
export async function fillContents(context: ReadContext, rows: readonly TeamEventRow[]): Promise<TeamEventRow[]> {
  const { sql } = context
  if (rows.length === 0) return []
  const uuids = rows.map(({ uuid }) => uuid)
  const found = await sql<{ member_id: number; uuid: string; hash: string; content: string }[]>`
    SELECT e.member_id, e.uuid, encode(e.hash, 'hex') AS hash, c.content FROM event_contents e JOIN contents c ON c.hash = e.hash
    WHERE e.uuid = ANY(${uuids}::uuid[])`
  if (found.length === 0) return [...rows]
  const byEvent = Map.groupBy(found, ({ member_id, uuid }) => `${member_id} ${uuid}`)
  return rows.map((row) => {
    const texts = new Map(
      byEvent.get(`${row.member_id} ${row.uuid}`)?.map(({ hash, content }) => [hash, content]) ?? [],
    )
    return texts.size === 0 ? row : { ...row, payload: filled(row.payload, texts) as TeamEventRow['payload'] }
  })
}

function filled(value: unknown, texts: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => filled(item, texts))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value)
  const [first] = fields
  if (fields.length === 1 && first?.[0] === '$content') return texts.get(String(first[1])) ?? value
  return Object.fromEntries(fields.map(([key, item]) => [key, filled(item, texts)]))
}

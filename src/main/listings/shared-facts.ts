/** In a team, the member who owns event `e`; on a laptop, the user of the session that a row belongs to. */
export const userOf = (alias: string) => ({ local: ofSession('user_id', alias).local, team: MEMBER })

/** The name of the member who owns event `e`, in a team. */
export const MEMBER = '(SELECT m.name FROM members m WHERE m.id = e.member_id)'

/** A column of the session that a row belongs to: in a team, the row of an event `e`. */
export const ofSession = (column: string, alias: string) => ({
  local: `(SELECT s.${column} FROM sessions s WHERE s.id = ${alias}.session_id)`,
  team: `(SELECT s.${column} FROM sessions s WHERE s.session_key = e.session_key AND s.member_id = e.member_id)`,
})

/** The filter `client` of rows that belong to sessions. */
export const clientOf = (alias: string) => ({
  local: `aspy_in_time() AND ${ofSession('client', alias).local} = ?`,
  team: `${ofSession('client', alias).team} = ?`,
})

/** A field of a team's payload if it is a text. */
export const textIn = (name: string): string =>
  `CASE WHEN jsonb_typeof(e.payload -> '${name}') = 'string' THEN e.payload ->> '${name}' END`

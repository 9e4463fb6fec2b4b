import type { CarryBy } from './carry.ts'
import type { Reader } from './reader.ts'
import { titleOfSession } from './session-titles.ts'

interface Label {
  readonly label: string | null
  readonly session_id: string | null
  readonly turn_id: number | null
}

/** Characters of a prompt. */
const PROMPT_CHARACTERS = 200

/** Returns the name of a group: the title of a session, the beginning of a prompt, the type of an agent. */
export function carryLabel(
  reader: Reader,
  by: CarryBy,
  { key, in_session: session }: { readonly key: string | null; readonly in_session: string },
): Label {
  if (key === null) return { label: null, session_id: null, turn_id: null }
  if (by === 'session') return { label: titleOfSession(reader, key), session_id: key, turn_id: null }
  if (by === 'agent') return { label: agentType(reader, session, key), session_id: session, turn_id: null }
  if (by !== 'prompt') return { label: null, session_id: null, turn_id: null }
  const turn = Number(key.slice(key.lastIndexOf('/') + 1))
  return { label: promptOf(reader, session, turn), session_id: session, turn_id: turn }
}

function promptOf(reader: Reader, session: string, turn: number): string | null {
  const row = reader.get<{ text: string | null }>(
    `SELECT substr(p.content, 1, ${PROMPT_CHARACTERS}) AS text FROM turns t
     JOIN events e ON e.uuid = t.prompt_uuid JOIN user_prompts p ON p.id = e.id WHERE t.session_id = ? AND t.turn_id = ?`,
    session,
    turn,
  )
  return row?.text ?? null
}

function agentType(reader: Reader, session: string, agent: string): string | null {
  const row = reader.get<{ agent_type: string | null }>(
    'SELECT agent_type FROM agents WHERE session_id = ? AND agent_id = ?',
    session,
    agent,
  )
  return row?.agent_type ?? null
}

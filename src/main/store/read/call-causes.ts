import type { OperationOutput } from '../../../shared/contract/index.ts'
import { firstCharacters } from '../../../shared/cut-text.ts'
import { sqlTurnOf } from './joined-turns.ts'
import type { Reader } from './reader.ts'
import { UNPRICED } from '../../../shared/spend.ts'

/** Why a call was made: its turn with the prompt and the cost, and the model that asked for it. */
export type CallCause = Omit<
  OperationOutput<'files.blame'>['items'][number],
  'line' | 'text' | 'origin' | 'event' | 'earlier_forms'
>

export const NO_CAUSE: CallCause = {
  session_id: null,
  turn_id: null,
  agent_id: null,
  ts_wall: null,
  prompt: null,
  prompt_text: null,
  model: null,
  cost_usd: null,
}

const PROMPT_CHARACTERS = 300

/** Returns the causes of calls by their uuids. */
export function causesOf(reader: Reader, uuids: ReadonlySet<string>): ReadonlyMap<string, CallCause> {
  const rows = reader.all<CallCause & { readonly uuid: string }>(
    `SELECT w.*, t.prompt_uuid AS prompt, CASE WHEN t.${UNPRICED} = 0 THEN t.cost_usd END AS cost_usd,
       (SELECT p.content FROM events x CROSS JOIN user_prompts p ON p.id = x.id WHERE x.uuid = t.prompt_uuid) AS prompt_text,
       -- With several models in a turn, it is not known which one asked.
       (SELECT CASE WHEN min(u.model) = max(u.model) THEN max(u.model) END FROM api_usage u
        WHERE u.session_id = w.session_id AND u.turn_id = w.call_turn AND u.agent_id IS w.agent_id) AS model
     FROM (SELECT e.uuid, e.session_id, e.turn_id AS call_turn, ${sqlTurnOf('e')} AS turn_id, e.agent_id, e.ts_wall
           FROM json_each(?) asked CROSS JOIN events e ON e.uuid = asked.value) w
     LEFT JOIN turns t ON t.session_id = w.session_id AND t.turn_id = w.turn_id`,
    JSON.stringify([...uuids]),
  )
  return new Map(
    rows.map(({ uuid, session_id, turn_id, agent_id, ts_wall, prompt, prompt_text, model, cost_usd }) => [
      uuid,
      {
        session_id,
        turn_id,
        agent_id,
        ts_wall,
        prompt,
        prompt_text: prompt_text === null ? null : firstCharacters(prompt_text, PROMPT_CHARACTERS),
        model,
        cost_usd,
      },
    ]),
  )
}

import type { OperationOutput } from '../../shared/contract/index.ts'
import type { Listing } from './listing.ts'

/** A prompt or an answer of the main agent. */
export type Spoken = OperationOutput<'sessions.history'>['items'][number]

const ROLE = (kind: string) => `CASE ${kind} WHEN 'user_prompt' THEN 'user' ELSE 'assistant' END`
const KINDS = "('user_prompt', 'assistant_response')"

/** The conversation of a session, newest first. */
export const CONVERSATION: Listing<Spoken, 'sessions.history'> = {
  from: {
    local: 'recall_docs d',
    team: 'texts t JOIN events e ON e.month = t.month AND e.member_id = t.member_id AND e.uuid = t.uuid',
  },
  owner: 't',
  where: {
    local: `d.agent_id IS NULL AND d.match_type IN ${KINDS}`,
    team: `t.kind IN ${KINDS} AND e.agent_id IS NULL`,
  },
  columns: {
    uuid: { local: '(SELECT e.uuid FROM events e WHERE e.id = d.id)', team: 't.uuid' },
    role: { local: ROLE('d.match_type'), team: ROLE('t.kind') },
    content: {
      local: `coalesce(CASE d.match_type WHEN 'user_prompt' THEN (SELECT p.content FROM user_prompts p WHERE p.id = d.id)
        ELSE (SELECT r.content FROM assistant_responses r WHERE r.id = d.id) END, '')`,
      team: 't.content',
    },
    timestamp: { local: 'd.timestamp', team: 't.ts' },
    turn_id: { local: 'd.turn_id', team: 't.turn_id' },
  },
  filters: {
    session_id: { local: 'd.session_id = ?', team: 't.session_id = ?' },
    before: { local: 'd.timestamp < ?', team: 't.ts < ?' },
    after: { local: 'd.timestamp > ?', team: 't.ts > ?' },
  },
  sorts: {},
  key: {
    local: [['d.id', 'number']],
    team: [
      ['t.ts', 'time'],
      ['e.turn_id', 'number'],
      ['e.seq', 'number'],
      ['e.id', 'number'],
    ],
  },
  order: 'DESC',
}

import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import type { Store } from '../../../src/main/store/store.ts'
import type { StoredMessage } from '../../../src/shared/event.ts'
import { commonFields } from './history.ts'

/** Creates requests of a growing conversation, each stored as its addition to the previous one, with their responses. */
export function requestDrafts(store: Store, session: string, count: number, atMs: number, word: string): AnyDraft[] {
  const keep = (value: unknown) => store.ingest.putContent(JSON.stringify(value))
  const tools = ['Bash', 'Read'].map((name) => keep({ name, description: `runs ${name} `.repeat(100) }))
  const system = [keep({ type: 'text', text: `you work on ${session} `.repeat(60) })]
  const messages: StoredMessage[] = []
  return Array.from({ length: count }, (_, at): AnyDraft[] => {
    const known = messages.length
    const text = `${word} ${at} ${'of the conversation '.repeat(40)}`
    const add = [
      { role: 'user', blocks: [keep({ type: 'text', text: `what of ${text}` })] },
      { role: 'assistant', blocks: [keep({ type: 'text', text: `that of ${text}` })] },
    ]
    messages.push(...add)
    const exchange = `x-${session}-${at}`
    const common = commonFields('wire', session, atMs + at * 1000)
    const headers = [['user-agent', 'claude-cli']] as const
    return [
      {
        ...common,
        kind: 'model_request',
        uuid: uuidOf(session, at),
        payload: {
          exchange_id: exchange,
          request_kind: 'loop',
          method: 'POST',
          path: '/v1/messages',
          model: 'claude-opus-5-5',
          headers,
          request: {
            base: at === 0 ? null : uuidOf(session, at - 1),
            keep: known,
            add,
            system,
            tools,
            parameters: { max_tokens: 1000 },
          },
          message_count: messages.length,
          body_bytes: 5000,
        },
        keys: [naturalKey.exchange(exchange, 'request')],
        parents: [],
      },
      {
        ...common,
        kind: 'model_response',
        payload: {
          exchange_id: exchange,
          message_id: null,
          model: 'claude-opus-5-5',
          status: 200,
          stop_reason: 'end_turn',
          streamed: true,
          cut_by: null,
          ttft_ms: 12,
          headers,
          body_bytes: 900,
        },
        keys: [naturalKey.exchange(exchange, 'response')],
        parents: [naturalKey.exchange(exchange, 'request')],
      },
    ]
  }).flat()
}

/** Returns the uuid of a session's request. */
export function uuidOf(session: string, at: number): string {
  return `${Buffer.from(session.padEnd(8, '0').slice(0, 8)).toString('hex').slice(0, 8)}-0000-7000-8000-${String(at).padStart(12, '0')}`
}

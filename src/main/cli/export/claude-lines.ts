import type { Exported } from '../commands/export.ts'

/** Writes a session in Claude Code's transcript format: prompts, answer blocks and tool results, one per line. */
export async function* claudeLines(events: AsyncIterable<Exported>): AsyncGenerator<string> {
  const lastOf = new Map<string | null, string>()
  for await (const { event, keys } of events) {
    const message = messageOf(event.kind, event.payload)
    if (message === null) continue
    const uuid = keys.find((key) => key.startsWith('line:'))?.slice('line:'.length) ?? event.uuid
    const line = {
      parentUuid: lastOf.get(event.agent_id) ?? null,
      isSidechain: event.agent_id !== null,
      ...(event.agent_id === null ? {} : { agentId: event.agent_id }),
      userType: 'external',
      cwd: event.project,
      sessionId: event.session_id,
      type: message.role,
      ...(event.request_id === null ? {} : { requestId: event.request_id }),
      message,
      uuid,
      timestamp: event.ts_wall,
    }
    lastOf.set(event.agent_id, uuid)
    yield `${JSON.stringify(line)}\n`
  }
}

type Payload = { readonly [key: string]: unknown }

interface Message {
  readonly role: 'user' | 'assistant'
  readonly [field: string]: unknown
}

function messageOf(kind: string, payload: Payload): Message | null {
  switch (kind) {
    case 'user_prompt':
      return { role: 'user', content: payload['text'] }
    case 'thinking':
      return answer(payload, { type: 'thinking', thinking: payload['text'], signature: '' })
    case 'assistant_text':
      return answer(payload, { type: 'text', text: payload['text'] })
    case 'tool_call':
      return answer(payload, {
        type: 'tool_use',
        id: payload['call_id'],
        name: payload['tool_name'],
        input: payload['input'],
      })
    case 'tool_result':
      return {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: payload['call_id'],
            content: payload['output'],
            ...(payload['is_error'] === true ? { is_error: true } : {}),
          },
        ],
      }
    default:
      return null
  }
}

const answer = (payload: Payload, block: object): Message => ({
  role: 'assistant',
  type: 'message',
  id: payload['message_id'],
  content: [block],
})

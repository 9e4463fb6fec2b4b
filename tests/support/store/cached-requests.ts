import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import type { ShapeBlock, ShapeMessage } from '../../../src/shared/request-shape.ts'

const MARK = { type: 'ephemeral' }
const TOOLS: readonly ShapeBlock[] = ['Bash', 'Read', 'mcp__notes__find'].map((tool) => ({
  hash: `tool ${tool}`,
  kind: 'tool',
  bytes: 700,
  tool,
}))

const uuidOf = (session: string, at: number) => `request-${session}-${at}`

/**
 * Puts the request before the usage of each answer that the wire reports, and the end of the answer after it. Requests
 * grow by a call and its result; now and then one is shorter than the previous one, or changes its system prompt.
 */
export function withRequests(drafts: readonly AnyDraft[], random: () => number): AnyDraft[] {
  const counts = new Map<string, number>()
  const lengths = new Map<string, number>()
  let version = 0
  return drafts.flatMap((draft) => {
    if (draft.kind !== 'api_usage' || draft.source !== 'wire' || draft.payload.message_id === null) return [draft]
    const { session_id: session, payload } = draft
    const at = counts.get(session) ?? 0
    const before = lengths.get(session) ?? 0
    const isCut = random() < 0.1
    const keep = isCut ? Math.floor(before * random()) : before
    const added = 1 + Math.floor(random() * 3)
    counts.set(session, at + 1)
    lengths.set(session, keep + added)
    if (random() < 0.1) version += 1
    const last = keep + added - 1
    const exchange = uuidOf(session, at)
    const shape = {
      base: at === 0 ? null : uuidOf(session, at - 1),
      keep,
      add: Array.from({ length: added }, (_, index) => messageOf(session, at, keep + index)),
      system: [{ hash: `system ${version}`, kind: 'text', bytes: 4000 }],
      tools: TOOLS,
      marks: { '/system/0/cache_control': MARK, [`/messages/${last}/content/0/cache_control`]: MARK },
      betas: [],
      speed: null,
      parameters: {},
      previous_message: null,
      asks_why: false,
    }
    const common = { ...draft, parents: [], uuid: undefined }
    const request = {
      ...common,
      uuid: exchange,
      kind: 'model_request',
      keys: [naturalKey.exchange(exchange, 'request')],
      payload: {
        exchange_id: exchange,
        request_kind: 'prompt',
        method: 'POST',
        path: '/v1/messages',
        model: payload.model,
        headers: [],
        request: null,
        shape,
        message_count: keep + added,
        body_bytes: 1000,
      },
    }
    const response = {
      ...common,
      kind: 'model_response',
      keys: [naturalKey.exchange(exchange, 'response')],
      payload: {
        exchange_id: exchange,
        message_id: payload.message_id,
        model: payload.model,
        status: 200,
        stop_reason: 'end_turn',
        streamed: true,
        cut_by: null,
        ttft_ms: 10,
        headers: [],
        body_bytes: 100,
      },
    }
    return [request as unknown as AnyDraft, draft, response as unknown as AnyDraft]
  })
}

function messageOf(session: string, request: number, index: number): ShapeMessage {
  const call = `call-${session}-${request}-${index}`
  const hash = `block ${session} ${request} ${index}`
  const tool = { hash, kind: 'tool_use', bytes: 90, tool: 'Read', call, name: `/src/${index % 7}.ts` }
  const result = { hash, kind: 'tool_result', bytes: 500 + index, call }
  return index % 2 === 0 ? { role: 'user', blocks: [result] } : { role: 'assistant', blocks: [tool] }
}

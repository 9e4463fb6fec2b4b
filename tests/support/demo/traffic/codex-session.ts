import type { DemoExchange, DemoFields, DemoLine } from '../../../../src/main/demo/demo-file.ts'
import type { JsonObject } from '../../../../src/shared/event.ts'
import type { Telling } from './claude-session.ts'
import type { Script, ScriptCall } from './script.ts'

const TOOLS = [
  {
    type: 'function',
    name: 'shell',
    description: 'Runs a command and returns its output.',
    strict: false,
    parameters: {
      type: 'object',
      properties: { command: { type: 'array', items: { type: 'string' } }, workdir: { type: 'string' } },
      required: ['command'],
    },
  },
]
const MS_A_CHARACTER = 3.2
const CHARACTERS_A_TOKEN = 1.2

/** Returns what a session of Codex sends as it follows a script, over the Responses API. */
export function tellCodex(script: Script, { at, random, idMark }: Telling): readonly DemoLine[] {
  const uuid = `0${random.hex(7)}-${random.hex(4)}-7${random.hex(3)}-a${random.hex(3)}-${(idMark + random.hex(12)).slice(0, 12)}`
  const fields: DemoFields = { kind: 'fields', name: uuid, value: fieldsOf(script) }
  const written: DemoExchange[] = []
  const input: JsonObject[] = [
    message(
      'user',
      `<environment_context>\n  <cwd>${script.folder}</cwd>\n  <shell>bash</shell>\n</environment_context>`,
    ),
  ]
  let [clock, sent, cached, turnId] = [at, 0, 0, '']

  function ask(output: readonly JsonObject[]): void {
    const total = Math.round((JSON.stringify(input).length + 12_000) / CHARACTERS_A_TOKEN)
    const said = Math.round(JSON.stringify(output).length / CHARACTERS_A_TOKEN / 3)
    const usage = {
      input_tokens: total,
      input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
      output_tokens: said,
      output_tokens_details: { reasoning_tokens: Math.round(said / 3) },
      total_tokens: total + said,
    }
    const { events, tookMs } = responseEvents(
      `resp_${idMark}${random.hex(24)}`,
      script.model,
      output,
      usage,
      random.int(900, 2_600),
    )
    const metadata = JSON.stringify({ session_id: uuid, thread_id: uuid, turn_id: turnId, request_kind: 'turn' })
    written.push({
      kind: 'exchange',
      session: uuid,
      at: Math.round(clock),
      path: '/openai/v1/responses',
      headers: [
        ['session-id', uuid],
        ['originator', 'codex_cli_rs'],
        ['user-agent', 'codex_cli_rs/0.169.0 (Debian 12.0.0; x86_64) xterm'],
        ['x-codex-turn-metadata', metadata],
        ['content-type', 'application/json'],
      ],
      conversation: uuid,
      keep: sent,
      add: input.slice(sent),
      list: 'input',
      fields: uuid,
      status: 200,
      answerHeaders: [['x-request-id', `req_${random.hex(20)}`]],
      events,
      tookMs,
    })
    sent = input.length
    cached = total - (total % 128)
    input.push(...output)
    clock += tookMs
  }

  for (const { prompt, steps, thinking, answer = '' } of script.turns) {
    turnId = random.uuid()
    input.push(message('user', prompt))
    for (const step of steps as readonly ScriptCall[]) {
      const callId = `call_${(idMark + random.hex(24)).slice(0, 24)}`
      const reasons = step.thinking === undefined ? [] : [reasoning(step.thinking, random.hex(24))]
      const args = JSON.stringify({ command: ['bash', '-lc', String(step.input['command'])], workdir: script.folder })
      ask([
        ...reasons,
        { type: 'function_call', id: `fc_${random.hex(24)}`, name: 'shell', arguments: args, call_id: callId },
      ])
      clock += step.ms ?? random.int(60, 4_000)
      input.push({ type: 'function_call_output', call_id: callId, output: step.output })
    }
    const last = thinking === undefined ? [] : [reasoning(thinking, random.hex(24))]
    ask([...last, { ...message('assistant', answer), id: `msg_${random.hex(24)}`, status: 'completed' }])
    clock += random.int(25_000, 120_000)
  }
  return [fields, ...written]
}

const message = (role: 'user' | 'assistant', text: string): JsonObject => ({
  type: 'message',
  role,
  content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
})

const reasoning = (text: string, id: string): JsonObject => ({
  type: 'reasoning',
  id: `rs_${id}`,
  summary: [{ type: 'summary_text', text }],
})

const fieldsOf = ({ model, folder }: Script): JsonObject => ({
  model,
  instructions: `You are Codex, a coding agent in a terminal. (Shortened for the demo.)\nWork in ${folder}. Read before you change, run the tests, and say what you did in a few sentences.`,
  tools: TOOLS,
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  stream: true,
})

type Timed = readonly [afterMs: number, data: JsonObject]

/** Returns an answer of the Responses API as it is streamed. */
function responseEvents(id: string, model: string, output: readonly JsonObject[], usage: JsonObject, ttftMs: number) {
  const response = { id, object: 'response', model, status: 'in_progress' }
  const events: Timed[] = [[ttftMs, { type: 'response.created', response }]]
  let at = ttftMs + 30
  for (const [index, item] of output.entries()) {
    const announced = { ...item, content: [], summary: [], arguments: '' }
    events.push([at, { type: 'response.output_item.added', output_index: index, item: announced }])
    const [delta, length] = deltaOf(item, index)
    if (delta !== null) events.push([at, delta])
    at = Math.round(at + 50 + length * MS_A_CHARACTER)
    events.push([at, { type: 'response.output_item.done', output_index: index, item }])
  }
  events.push([
    at,
    { type: 'response.completed', response: { ...response, status: 'completed', output: [...output], usage } },
  ])
  const numberedEvents = events.map(([after, data], sequence_number): Timed => [after, { ...data, sequence_number }])
  return { events: numberedEvents, tookMs: at + 10 }
}

function deltaOf(item: JsonObject, index: number): readonly [JsonObject | null, number] {
  const place = { output_index: index, item_id: item['id'] ?? null }
  if (item['type'] === 'function_call') {
    const delta = String(item['arguments'])
    return [{ type: 'response.function_call_arguments.delta', ...place, delta }, delta.length]
  }
  const isMessage = item['type'] === 'message'
  const [part] = (isMessage ? item['content'] : item['summary']) as readonly { readonly text: string }[]
  const delta = part?.text ?? ''
  if (isMessage) return [{ type: 'response.output_text.delta', ...place, content_index: 0, delta }, delta.length]
  return [{ type: 'response.reasoning_summary_text.delta', ...place, summary_index: 0, delta }, delta.length]
}

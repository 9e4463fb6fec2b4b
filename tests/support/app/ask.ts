import { randomUUID } from 'node:crypto'

/** A request as Claude Code's main agent sends it, reduced to what matters. */
export interface Question {
  /** Text, or the blocks of the newest message. */
  readonly prompt: string | readonly object[]
  readonly session?: string
  readonly model?: string
  /** The account that is logged in; empty: none, only a key. */
  readonly account?: string
  /** Messages before the prompt. */
  readonly history?: readonly object[]
  /** Additional headers. */
  readonly headers?: { readonly [name: string]: string }
}

/** Asks through the proxy like a client would; gives the answer's response, its body still to be read. */
export function ask(
  proxy: string,
  { prompt, session = randomUUID(), model = 'claude-sonnet-5-5', account = 'a', history = [], headers = {} }: Question,
): Promise<Response> {
  return fetch(`${proxy}/v1/messages?beta=true`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': 'sk-ant-dummy',
      'anthropic-version': '2023-06-01',
      'x-app': 'cli',
      'x-claude-code-session-id': session,
      ...headers,
    },
    body: JSON.stringify({
      model,
      max_tokens: 32_000,
      stream: true,
      metadata: { user_id: JSON.stringify({ device_id: 'd', account_uuid: account, session_id: session }) },
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.330; cc_entrypoint=cli;' },
        { type: 'text', text: 'You are Claude Code.\nWorking directory: /home/user/project' },
      ],
      tools: [{ name: 'Bash', description: 'Runs a command', input_schema: { type: 'object' } }],
      messages: [
        ...history,
        { role: 'user', content: typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt },
      ],
    }),
  })
}

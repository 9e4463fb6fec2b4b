import { type MessagesUpstream, startMessagesUpstream } from '../upstream/messages-upstream.ts'

/** A conversation in the form in which Claude Code sends it, for looking at an exchange with something in every part. */

const TOOLS = [
  {
    name: 'Bash',
    description: 'Runs a command in a shell and gives back what it prints.',
    input_schema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  },
  {
    name: 'Read',
    description: 'Reads a file.',
    input_schema: { type: 'object', properties: { file_path: { type: 'string' } } },
  },
  { name: 'Edit', description: 'Replaces one text in a file by another.', input_schema: { type: 'object' } },
  {
    name: 'mcp__tracker__list_issues',
    description: 'Lists the open issues of the tracker, newest first.',
    input_schema: { type: 'object', properties: { label: { type: 'string' } } },
  },
]

const TOKENS_CSS = Array.from(
  { length: 60 },
  (_, line) =>
    `${String(line + 1).padStart(4)}  --tone-${line}: #${((line * 40_503) % 0xffffff).toString(16).padStart(6, '0')};`,
).join('\n')

const HISTORY = [
  {
    role: 'user',
    content: [
      { type: 'text', text: '<system-reminder>The project uses solarized tones for its charts.</system-reminder>' },
      { type: 'text', text: 'Pick the solarized text tones by contrast and tell me why the old ones were wrong.' },
    ],
  },
  {
    role: 'assistant',
    content: [
      {
        type: 'thinking',
        thinking: 'The body tone gives 4.1:1 on its own base. I look at where the tokens are read first.',
        signature: 'c2lnbmF0dXJl',
      },
      { type: 'text', text: 'I look at the tokens first.' },
      { type: 'tool_use', id: 'toolu_read', name: 'Read', input: { file_path: 'src/styles/tokens.css' } },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_read', content: TOKENS_CSS }] },
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'toolu_bash', name: 'Bash', input: { command: 'npm test -- contrast' } }],
  },
  {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'toolu_bash',
        content: '2 failed, 40 passed\n  body on base3: 4.13 (needs 4.5)\n  comment on base2: 3.9 (needs 4.5)',
        is_error: true,
        cache_control: { type: 'ephemeral' },
      },
    ],
  },
]

/** Answers each request of the conversation; `hold`: stops in mid-answer until this is released. */
export function talkingUpstream(hold?: string): Promise<MessagesUpstream> {
  return startMessagesUpstream(() => ({
    steps: [
      { thinking: 'Two pairs miss 4.5:1. Darker tones for text keep the palette for shapes and charts.' },
      ...(hold === undefined ? [] : [{ hold }]),
      {
        text: 'Two pairs missed **4.5:1**. I take darker tones for text only; the sixteen colours stay for shapes and charts.',
      },
    ],
    usage: {
      input_tokens: 31,
      output_tokens: 64,
      cache_read_input_tokens: 512,
      cache_creation_5m: 138,
      thinking_tokens: 25,
    },
  }))
}

/** Sends its newest request through the proxy, and reads the answer to its end. */
export async function haveConversation(proxy: string, session: string): Promise<void> {
  const response = await fetch(`${proxy}/v1/messages?beta=true`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': 'sk-ant-dummy',
      'anthropic-version': '2023-06-01',
      'user-agent': 'claude-cli/2.1.330 (external, cli)',
      'x-app': 'cli',
      'x-claude-code-session-id': session,
    },
    body: JSON.stringify({
      model: 'claude-opus-5-5',
      max_tokens: 32_000,
      stream: true,
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
      metadata: { user_id: JSON.stringify({ device_id: 'd', account_uuid: 'a', session_id: session }) },
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.330; cc_entrypoint=cli;' },
        {
          type: 'text',
          text: 'You are Claude Code.\nWorking directory: /home/ada/code/engine',
          cache_control: { type: 'ephemeral' },
        },
      ],
      tools: TOOLS,
      messages: HISTORY,
    }),
  })
  await response.text()
}

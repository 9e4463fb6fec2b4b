import { setTimeout as pause } from 'node:timers/promises'
import { lastUserText, type Script } from '../upstream/messages-upstream.ts'
import type { OtherClient } from './other-clients.ts'

const USAGE = { input_tokens: 101, output_tokens: 17, cache_read_input_tokens: 1003, cache_creation_5m: 55 }

/** A client keeps the newest messages: only older ones are summarized. */
export const LONG = 'lorem ipsum dolor sit amet '.repeat(4000)

/** Returns an upstream's script: the model's answers, by the last words of the request. */
export function createScript({ tools, fullAt }: OtherClient): Script {
  let failures = 0
  return async ({ body, headers }) => {
    const text = lastUserText(body)
    const names = body?.tools?.map(({ name }) => name) ?? []
    if (JSON.stringify(body?.messages.at(-1)).includes('tool_result'))
      return { steps: [{ thinking: 'It ran.' }, { text: 'Done.' }], usage: USAGE }
    if (text.includes('BREAK') && names.length > 0 && failures++ === 0)
      return { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } }
    // Copilot CLI has the conversation summarized beside its request: a full summary would be summarized, too.
    if (text.includes('FILL') && headers['x-interaction-type'] !== 'conversation-compaction') {
      // It ends with the answer, and forgets a summary that has not come by then.
      await pause(2_000)
      return { steps: [{ text: 'Full.' }], usage: { ...USAGE, cache_read_input_tokens: fullAt } }
    }
    const [tool, input] = text.includes('AGENT')
      ? [
          tools.agent,
          { description: 'look', prompt: 'Look at them.', subagent_type: tools.agentType, ...tools.further },
        ]
      : [tools.shell, { command: 'echo zebra', description: 'say it' }]
    if ((text.includes('zebra') || text.includes('AGENT')) && tool !== null && names.includes(tool))
      return { steps: [{ text: 'I will.' }, { tool, input }], usage: USAGE }
    return {
      steps: [{ text: `<state_snapshot>You said ${text.trim().length} characters.</state_snapshot>` }],
      usage: USAGE,
    }
  }
}

/** Prompts that each begin a session: a tool, a failed request that is repeated, an agent, a long one. */
export const STORIES = ['Please run echo zebra', 'BREAK it', 'Use an AGENT now', `Long. ${LONG}`]

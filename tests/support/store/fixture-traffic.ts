import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '../upstream/messages-answer.ts'
import { lastUserText, type SeenRequest } from '../upstream/messages-upstream.ts'
import type { TestApp } from '../app/start-app.ts'

/** Sessions that use the proxy and the hooks while the app runs: they leave what only live traffic leaves in a data folder. */

export const PROJECT = '/home/dev/shop'
/** A made-up secret in the API's format. */
const SECRET = `sk-ant-api03-${'Zq7'.repeat(31)}AA`
/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const LIMITS = {
  'request-id': 'req_fixture',
  'anthropic-ratelimit-requests-limit': '4000',
  'anthropic-ratelimit-requests-remaining': '3999',
  'anthropic-ratelimit-unified-status': 'allowed',
  'anthropic-ratelimit-unified-5h-utilization': '0.42',
}

/** Returns the API's answer: thinking, a text and a call; for some prompts an error or half an answer. */
export function fixtureAnswer(request: SeenRequest): Answer {
  const text = lastUserText(request.body)
  if (text.includes('overloaded'))
    return { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' }, headers: LIMITS }
  if (text.includes('too fast'))
    return {
      status: 429,
      error: { type: 'rate_limit_error', message: 'This request would exceed your rate limit.' },
      headers: { ...LIMITS, 'retry-after': '12' },
    }
  if (text.includes('breaks off'))
    return { steps: [{ text: 'Half of an answer that' }, { cut: true }], headers: LIMITS }
  return {
    steps: [
      { thinking: `The basket of the shop rounds twice: ${text}` },
      { text: `Round once, at the end. ${'The sum of the basket stays what it was. '.repeat(40)}` },
      { tool: 'Bash', input: { command: 'npm test -- basket', description: 'Run the tests of the basket' } },
    ],
    usage: {
      input_tokens: 1200,
      output_tokens: 340,
      cache_read_input_tokens: 20_000,
      cache_creation_1h: 900,
      thinking_tokens: 40,
    },
    headers: LIMITS,
  }
}

type Block = object
interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Block[]
}

const say = (text: string): Block => ({ type: 'text', text })

/** Runs a session through the proxy; its requests repeat everything said before. */
function conversation(proxy: string, session: string) {
  const messages: Message[] = []
  return async (content: readonly Block[], answered: readonly Block[]): Promise<void> => {
    messages.push({ role: 'user', content })
    const response = await fetch(`${proxy}/v1/messages?beta=true`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': SECRET,
        'anthropic-version': '2023-06-01',
        'user-agent': 'claude-cli/2.1.330 (external, cli)',
        'x-app': 'cli',
        'x-claude-code-session-id': session,
      },
      body: JSON.stringify({
        model: 'claude-sonnet-5-5',
        max_tokens: 32_000,
        stream: true,
        metadata: { user_id: JSON.stringify({ device_id: 'd', account_uuid: 'a', session_id: session }) },
        system: [
          say('x-anthropic-billing-header: cc_version=2.1.330; cc_entrypoint=cli;'),
          say(`You are Claude Code.\nWorking directory: ${PROJECT}`),
        ],
        tools: ['Bash', 'Read', 'Edit'].map((name) => ({
          name,
          description: `${name}: ${'works in the folder of the project. '.repeat(40)}`,
          input_schema: { type: 'object' },
        })),
        messages,
      }),
    })
    // Half an answer ends in an error, as it does for a client.
    await response.text().catch(() => '')
    if (answered.length > 0) messages.push({ role: 'assistant', content: answered })
    else messages.pop()
  }
}

const ANSWERED: readonly Block[] = [say('Round once, at the end.')]

const hook = (app: TestApp, session_id: string, hook_event_name: string, more: object = {}) =>
  app.call('hooks.post', { session_id, hook_event_name, cwd: PROJECT, ...more })

/** Runs a session with everything: secrets, an image, failures, long texts, hooks, custom events. */
export async function liveSession(app: TestApp, session: string, word: string): Promise<void> {
  const ask = conversation(app.proxy, session)
  await hook(app, session, 'SessionStart', { source: 'startup', model: 'claude-sonnet-5-5' })
  const first = `Why does the basket ${word} round twice? The key is ${SECRET}.`
  await Promise.all([hook(app, session, 'UserPromptSubmit', { prompt: first }), ask([say(first)], ANSWERED)])
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }
  await ask([say(`Look at this picture of the basket ${word}.`), image], ANSWERED)
  await ask([say(`Read this: ${`the ledger of ${word} says so. `.repeat(200)}`)], ANSWERED)
  for (const fault of ['overloaded', 'too fast', 'breaks off']) await ask([say(`This one is ${fault}.`)], [])
  await hook(app, session, 'Notification', { message: 'Claude is waiting for your input' })
  await hook(app, session, 'PreCompact', { trigger: 'manual', custom_instructions: '' })
  await hook(app, session, 'PostCompact', { trigger: 'manual', compact_summary: `The basket ${word} rounds once now.` })
  await hook(app, session, 'SubagentStart', { agent_id: `agent-${word}`, agent_type: 'Explore' })
  await hook(app, session, 'SubagentStop', {
    agent_id: `agent-${word}`,
    agent_type: 'Explore',
    last_assistant_message: 'Found it.',
  })
  await hook(app, session, 'Stop', { last_assistant_message: 'Round once, at the end.' })
  await hook(app, session, 'SomethingNew', { what: `a hook of the future, ${word}` })
  await app.call('events.post', { session_id: session, kind: 'state_change', payload: { name: 'mood', to: word } })
  await app.call('events.post', {
    session_id: session,
    kind: 'notification',
    payload: { text: `posted by hand: ${word}` },
  })
  await hook(app, session, 'SessionEnd', { reason: 'exit' })
}

/** Runs a short session, as it may occur while the database cannot be written. */
export async function shortSession(app: TestApp, session: string, word: string): Promise<void> {
  const ask = conversation(app.proxy, session)
  for (const text of [
    `Where is the ${word} kept?`,
    `And what of the ${word} is lost? ${'Nothing at all. '.repeat(100)}`,
  ]) {
    await Promise.all([hook(app, session, 'UserPromptSubmit', { prompt: text }), ask([say(text)], ANSWERED)])
    // A hook's prompt and the proxy's are joined if they arrive together.
    await pause(20)
  }
  await hook(app, session, 'Stop', { last_assistant_message: 'Round once, at the end.' })
}

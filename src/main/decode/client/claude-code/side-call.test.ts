import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../shared/event.ts'
import { decodedRequest } from '../../fixtures/requests.ts'
import { classifyRequest } from './request-kind.ts'

// The sentences are those of Claude Code 2.1.332, some of them cut.
const SUGGESTION =
  '[SUGGESTION MODE: Suggest what the user might naturally type next into Claude Code.]\n\nFIRST: Look at the messages.'
const RECAP = 'The user stepped away and is coming back. Recap in under 40 words, 1-2 plain sentences, no markdown.'
const PROGRESS = 'Describe your most recent action in 3-5 words using present tense (-ing). Name the file or function.'
const MEMORY = 'You are now acting as the memory extraction subagent. Analyze the most recent ~4 messages above.'
const BESIDE =
  '<system-reminder>This is a side question from the user. You must answer this question directly in a single response.\n\nIMPORTANT CONTEXT:\n- You are a separate, lightweight agent</system-reminder>\n\n'

const text = (words: string) => ({ type: 'text', text: words })
const wrapped = (words: string) => `<system-reminder>\n${words}\n</system-reminder>`
const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] }
const result = { type: 'tool_result', tool_use_id: 't1', content: 'ok' }

/** A request with all that the conversation has: its system prompt and tools are the main agent's. */
const body = (...messages: readonly Json[]) => ({
  model: 'claude-opus-5-5',
  max_tokens: 32_000,
  system: [text("You are Claude Code, Anthropic's official CLI for Claude.")],
  tools: [{ name: 'Bash' }],
  messages: [
    { role: 'user', content: [text('Paint the door.')] },
    { role: 'system', content: [text('The environment.')] },
    { role: 'assistant', content: [text('Painted.')] },
    ...messages,
  ],
})

const decoded = (...messages: readonly Json[]) => {
  const { requestKind, drafts } = decodedRequest({ body: body(...messages) }, { knownMessages: 3 })
  const prompts = drafts.flatMap((draft) =>
    draft.kind === 'user_prompt' ? [[draft.payload.text, draft.payload.entered_as]] : [],
  )
  return { requestKind, prompts }
}

describe('what the client asks beside the conversation', () => {
  test.each([SUGGESTION, RECAP, PROGRESS, MEMORY])('%s', (sentence) => {
    for (const content of [
      sentence,
      wrapped(sentence),
      [text(sentence)],
      [text(wrapped(sentence)), text('<system-reminder>\nMind the tabs.\n</system-reminder>')],
      [text(`<system-reminder>\nMind the tabs.\n</system-reminder>\n${wrapped(sentence)}`)],
    ]) {
      const asked = { role: 'user', content }
      expect(decoded(asked)).toEqual({ requestKind: 'side_call', prompts: [] })
      // Its own calls, and the call that runs in the turn meanwhile.
      expect(decoded(asked, call, { role: 'user', content: [result] }).requestKind).toBe('side_call')
      const behind = typeof content === 'string' ? [text(content)] : content
      expect(decoded(call, { role: 'user', content: [result, ...behind] }).requestKind).toBe('side_call')
    }
  })

  test('a side question is a prompt with its command, and not of the turn', () => {
    const expected = (question: string) => ({
      requestKind: 'side_call',
      prompts: [[question, 'side_question']],
    })
    expect(decoded({ role: 'user', content: [text(BESIDE), text('Why red?')] })).toEqual(expected('/btw Why red?'))
    expect(decoded({ role: 'user', content: `${BESIDE}Why red?` })).toEqual(expected('/btw Why red?'))
    const unanswered = [text('Paint the door.\n'), text(`${BESIDE}Why red?`)]
    expect(decoded({ role: 'user', content: unanswered })).toEqual(expected('/btw Why red?'))
    const earlier = [
      { role: 'user', content: 'And blue?' },
      { role: 'assistant', content: 'No.' },
    ]
    expect(decoded(...earlier, { role: 'user', content: [text(BESIDE), text('Why\nred?')] })).toEqual(
      expected('/btw Why\nred?'),
    )
    const running = { role: 'user', content: [result, text(BESIDE), text('Why red?')] }
    expect(decoded(call, running)).toEqual(expected('/btw Why red?'))
  })

  test.each<[string, { readonly [field: string]: Json }, string]>([
    ['a conversation', {}, 'prompt'],
    ['a title', { system: [text('Title it.')], tools: [] }, 'side_call'],
    ['a judge with the own system prompt', { tools: [] }, 'side_call'],
    ['a judge with tools', { system: [text('Judge it.')] }, 'side_call'],
  ])('a format of the answer asked for by %s', (_, fields, kind) => {
    const format = { type: 'json_schema', schema: {} }
    const asked = { ...body({ role: 'user', content: 'Judge.' }), output_config: { format }, ...fields }
    expect(decodedRequest({ body: asked }, { knownMessages: 3 }).requestKind).toBe(kind)
  })

  test('the class that a header names decides, whatever the words are', () => {
    const kindOf = (name: string, value: string) =>
      classifyRequest({
        method: 'POST',
        path: '/v1/messages',
        headers: [
          ['x-claude-code-session-id', 's1'],
          [name, value],
        ],
        body: body({ role: 'user', content: 'Words that no list has.' }),
      })
    expect(kindOf('x-claude-code-request-class', 'auxiliary')).toBe('side_call')
    expect(kindOf('x-claude-code-request-class', 'side_reply')).toBe('side_call')
    expect(kindOf('x-claude-1p-request-class', 'followup-generation')).toBe('side_call')
    expect(kindOf('x-claude-code-request-class', 'main')).toBe('prompt')
  })

  test('a person may quote these sentences', () => {
    for (const sentence of [SUGGESTION, RECAP, PROGRESS, MEMORY, BESIDE.slice(17, 60)]) {
      const quoted = `What does "${sentence}" mean?`
      expect(decoded({ role: 'user', content: quoted })).toEqual({
        requestKind: 'prompt',
        prompts: [[quoted, undefined]],
      })
    }
  })

  test.each([
    'A session-scoped Stop hook is now active with condition: "the door is red". Briefly acknowledge the goal.',
    'The fork runs as its own separate session — nothing it does arrives in this conversation.',
  ])('the sentence after a command is the client’s, in any wrapping: %s', (sentence) => {
    const goal =
      '<command-name>/goal</command-name>\n<command-message>goal</command-message>\n<command-args>x</command-args>'
    for (const words of [sentence, wrapped(sentence), `${wrapped('Mind the tabs.')}\n${wrapped(sentence)}`]) {
      expect(decoded({ role: 'user', content: [text(words)] }).prompts).toEqual([])
      expect(decoded({ role: 'user', content: [text(goal), text(words)] }).prompts).toEqual([
        ['/goal x', 'local_command'],
      ])
    }
  })
})

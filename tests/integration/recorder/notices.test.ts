import { expect, test } from 'vitest'
import { startApp } from '../../support/app/start-app.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

/** Claude Code drops an answer without visible content and sends the prompt again, followed by its own notice. */

const PROMPT = 'Paint the door, please'
const NEXT = 'And the till'
const KNOWN = '[Your previous response had no visible output. Please continue and produce a user-visible response.]'
const OTHER = 'Output token limit hit. Resume directly — no apology, no recap of what you were doing.'
/** A notice that no list has. */
const UNKNOWN = 'The answer above did not arrive. Give it again.'

const wrapped = (text: string, [open, close] = ['\n', '\n']) =>
  `<system-reminder>${open}${text}${close}</system-reminder>`
const text = (words: string) => ({ type: 'text', text: words })
const attribution = text(`${wrapped('Attribution for git commits.')}\n`)
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }

type Content = string | readonly object[]

/** What the first request's message has, and what the second one's has in its place. */
const REPEATED: { readonly [name: string]: readonly [Content, Content] } = {
  'bare, in a block of its own': [[text(PROMPT)], [text(`${PROMPT}\n`), text(KNOWN)]],
  'wrapped, in a block of its own': [[text(PROMPT)], [text(`${PROMPT}\n`), text(wrapped(KNOWN))]],
  'wrapped without line breaks': [[text(PROMPT)], [text(PROMPT), text(wrapped(KNOWN, ['', '']))]],
  'wrapped among spaces': [
    [text(PROMPT)],
    [text(`${PROMPT}\n`), text(`\n\n  ${wrapped(KNOWN, ['\r\n ', '\n\n'])} \n`)],
  ],
  'wrapped twice': [[text(PROMPT)], [text(`${PROMPT}\n`), text(wrapped(wrapped(KNOWN)))]],
  'in another element': [[text(PROMPT)], [text(`${PROMPT}\n`), text(`<notice kind="cut">${KNOWN}</notice>`)]],
  'wrapped, behind an attachment': [
    [attribution, text(PROMPT)],
    [attribution, text(`${PROMPT}\n`), text(wrapped(KNOWN))],
  ],
  'wrapped, behind an image': [
    [image, text(PROMPT)],
    [image, text(`${PROMPT}\n`), text(wrapped(KNOWN))],
  ],
  'behind a string': [PROMPT, [text(`${PROMPT}\n`), text(wrapped(KNOWN))]],
  'wrapped, in one string with the prompt': [PROMPT, `${PROMPT}\n${wrapped(KNOWN)}`],
  'bare, in one string with the prompt': [PROMPT, `${PROMPT}\n\n${KNOWN}`],
  'wrapped, in one block with the prompt': [[text(PROMPT)], [text(`${PROMPT}\n\n${wrapped(KNOWN)}\n`)]],
  'several, each in a block': [
    [text(PROMPT)],
    [text(`${PROMPT}\n`), text(`${wrapped(KNOWN)}\n`), text(wrapped(OTHER))],
  ],
  'several in one block': [[text(PROMPT)], [text(`${PROMPT}\n`), text(`${wrapped(KNOWN)}\n${wrapped(OTHER)}`)]],
  'one wrapped, one bare': [[text(PROMPT)], [text(`${PROMPT}\n`), text(`${wrapped(KNOWN)}\n`), text(OTHER)]],
  'unknown words, wrapped': [[text(PROMPT)], [text(`${PROMPT}\n`), text(wrapped(UNKNOWN))]],
  'unknown words, wrapped, in one string with the prompt': [PROMPT, `${PROMPT}\n${wrapped(UNKNOWN)}`],
  'unknown words behind a command': [
    [text('<command-message>x</command-message>\n<command-name>/x</command-name>\n'), text(PROMPT)],
    [
      text('<command-message>x</command-message>\n<command-name>/x</command-name>\n'),
      text(`${PROMPT}\n`),
      text(wrapped(UNKNOWN)),
    ],
  ],
}

/** The same, where the person said something more. */
const CONTINUED: { readonly [name: string]: readonly [Content, Content] } = {
  'a prompt behind a wrapped notice': [[text(PROMPT)], [text(`${PROMPT}\n`), text(`${wrapped(KNOWN)}\n`), text(NEXT)]],
  'a prompt behind a notice in one string': [PROMPT, `${PROMPT}\n${wrapped(KNOWN)}\n${NEXT}`],
  'a prompt behind unknown words': [[text(PROMPT)], [text(`${PROMPT}\n`), text(`${wrapped(UNKNOWN)}\n`), text(NEXT)]],
  'a prompt behind a prompt': [[text(PROMPT)], [text(`${PROMPT}\n`), text(NEXT)]],
}

const PLAIN: { readonly [name: string]: readonly [Content, Content] } = {
  'the same words again': [[text(PROMPT)], [text(`${PROMPT}\n`), text(PROMPT)]],
  'words that quote a notice': [[text(PROMPT)], [text(`Why do I see "${KNOWN}"?`)]],
}

async function record(cases: { readonly [name: string]: readonly [Content, Content] }) {
  await using upstream = await startMessagesUpstream((request, n) =>
    n % 2 === 0
      ? { steps: [{ thinking: `I think about ${request.sessionId}.` }] }
      : { steps: [{ text: `Done in ${request.sessionId}.` }] },
  )
  await using app = await startApp({ upstream: upstream.url })
  const names = Object.keys(cases)
  for (const [at, contents] of Object.values(cases).entries()) {
    for (const content of contents) {
      const response = await fetch(`${app.proxy}/v1/messages`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': 'sk-ant-x',
          'user-agent': 'claude-cli/2.1.332 (external, sdk-cli)',
          'x-claude-code-session-id': `notices-${at}`,
        },
        body: JSON.stringify({
          model: 'claude-opus-5-5',
          max_tokens: 100,
          stream: true,
          tools: [{ name: 'Bash' }],
          messages: [
            { role: 'user', content },
            { role: 'system', content: 'The environment.' },
          ],
        }),
      })
      await response.arrayBuffer()
    }
  }
  type Listed = { items: readonly { payload: { [name: string]: unknown } }[] }
  const list = async (at: number, kind: string, field: string) =>
    (await app.call<Listed>('events.list', { session_id: `notices-${at}`, kind })).items.map(
      ({ payload }) => payload[field],
    )
  const told: { [name: string]: unknown } = {}
  for (const [at, name] of names.entries()) {
    await until('the answer is recorded', async () => (await list(at, 'model_response', 'status')).length === 2)
    told[name] = {
      prompts: await list(at, 'user_prompt', 'text'),
      kinds: await list(at, 'model_request', 'request_kind'),
      ends: await list(at, 'turn_ended', 'last_text'),
      turns: (await app.call<{ turn_count: number }>('sessions.get', { session_id: `notices-${at}` })).turn_count,
    }
  }
  return told
}

const same = (cases: object, facts: (at: number) => object) =>
  Object.fromEntries(Object.keys(cases).map((name, at) => [name, facts(at)]))

test('a notice of the client, in any wrapping, repeats no prompt and begins no turn', async () => {
  const told = await record(REPEATED)
  expect(told).toEqual(
    same(REPEATED, (at) => ({
      prompts: [Object.keys(REPEATED)[at]?.includes('command') ? '/x' : PROMPT],
      kinds: ['prompt', 'loop'],
      ends: [`Done in notices-${at}.`],
      turns: 1,
    })),
  )
})

test('what a person says behind a notice is a prompt', async () => {
  expect(await record(CONTINUED)).toEqual(
    same(CONTINUED, (at) => ({
      prompts: [PROMPT, NEXT],
      kinds: ['prompt', 'prompt'],
      ends: [null, `Done in notices-${at}.`],
      turns: 2,
    })),
  )
})

test('what a person says again, or quotes, is a prompt', async () => {
  expect(await record(PLAIN)).toEqual(
    same(PLAIN, (at) => ({
      prompts: [PROMPT, at === 0 ? PROMPT : `Why do I see "${KNOWN}"?`],
      kinds: ['prompt', 'prompt'],
      ends: [null, `Done in notices-${at}.`],
      turns: 2,
    })),
  )
})

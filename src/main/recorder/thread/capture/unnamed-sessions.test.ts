import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Json } from '../../../../shared/event.ts'
import { repeated } from '../../../decode/wire/anthropic-messages/repeated-conversation.ts'
import { UnnamedSessions, type StoredConversation } from './unnamed-sessions.ts'
import { HOUR_MS } from '../../../../shared/time-units.ts'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const user = (text: string) => ({ role: 'user', content: text })
const assistant = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] })

/** A caller; each request's answer is complete unless `answer` is null (failed) or undefined (still open). */
function caller(stored: readonly StoredConversation[] = []) {
  const sessions = new UnnamedSessions(hash, () => stored)
  let count = 0
  return (
    messages: readonly Json[],
    more: {
      system?: string
      answer?: string | null
      isCount?: boolean
      retries?: number
      exchange?: string
      named?: string
    } = {},
    at = 0,
  ) => {
    count += 1
    const exchange = more.exchange ?? `exchange-${count}`
    const sessionId = sessions.sessionOf({
      exchange,
      beginning: `unnamed-${hash(JSON.stringify(messages[0] ?? null)).slice(0, 4)}`,
      day: new Date(at).toISOString().slice(0, 10),
      wall: at,
      messages,
      instructions: more.system ?? null,
      digest: repeated.digest,
      isCount: more.isCount ?? false,
      retries: more.retries ?? null,
      named: more.named ?? null,
    })
    if (more.answer !== undefined)
      sessions.ended(exchange, more.answer === null ? null : repeated.answerDigest([more.answer], [], hash))
    return sessionId
  }
}

test('a conversation that grows is one session, also days later and however its messages are written', () => {
  const ask = caller()
  const first = ask([user('hi')], { answer: 'A' })
  const cached = { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] }
  expect(ask([user('hi'), assistant('A'), user('more')], { answer: 'B' }, 50 * HOUR_MS)).toBe(first)
  const last = [user('hi'), assistant('A'), user('more'), { role: 'assistant', content: 'B' }, user('end')]
  expect(ask(last)).toBe(first)
  expect(ask([cached, ...last.slice(1)].slice(0, 3))).not.toBe(ask([user('other')]))
})

test('equal conversations side by side stay apart by their answers, and by their system prompts', () => {
  const ask = caller()
  const one = ask([user('roll')], { answer: '4' })
  const two = ask([user('roll')], { answer: '6' })
  const pirate = ask([user('roll')], { answer: '4', system: 'pirate' })
  expect(new Set([one, two, pirate]).size).toBe(3)
  expect(ask([user('roll'), assistant('6'), user('again')])).toBe(two)
  expect(ask([user('roll'), assistant('4'), user('again')], { system: 'pirate' })).toBe(pirate)
  expect(ask([user('roll'), assistant('4'), user('again')])).toBe(one)
})

test('each single question is a session, also when asked twice at once; a retry is not', () => {
  const ask = caller()
  const open = [ask([user('ping')]), ask([user('ping')])]
  const failed = ask([user('ping')], { answer: null })
  expect(new Set([...open, failed]).size).toBe(3)
  expect(ask([user('ping')], { answer: 'pong' })).toBe(failed)
  const again = ask([user('ping')], { answer: 'pong' })
  expect([...open, failed]).not.toContain(again)
  expect(ask([user('ping')], { retries: 1 })).toBe(again)
})

test('tokens are counted in the session of the request that follows', () => {
  const ask = caller()
  const counted = ask([user('long')], { isCount: true, answer: null })
  expect(ask([user('long')], { answer: 'ok' })).toBe(counted)
  expect(ask([user('long')], { isCount: true })).toBe(counted)
  expect(ask([user('long'), assistant('ok'), user('more')])).toBe(counted)
})

test('examples that many requests begin with are not a conversation; an edited message is', () => {
  const ask = caller()
  const examples = [user('ex'), assistant('EX')]
  const one = ask([...examples, user('a')], { answer: 'A' })
  expect(ask([...examples, user('b')], { answer: 'B' })).not.toBe(one)
  expect(ask([...examples, user('a'), assistant('A'), user('c')], { answer: 'C' })).toBe(one)
  expect(ask([...examples, user('a'), assistant('A'), user('edited')])).toBe(one)
})

test('after a restart, stored conversations go on, and an exchange keeps its session', () => {
  const ask = caller([{ sessionId: 'unnamed-stored', uuid: 'exchange-stored', messages: [user('hi')] }])
  expect(ask([user('hi'), assistant('A'), user('more')])).toBe('unnamed-stored')
  const replayed = caller([{ sessionId: 'unnamed-stored', uuid: 'exchange-stored', messages: [user('hi')] }])
  expect(replayed([user('hi')])).not.toBe('unnamed-stored')
  expect(replayed([user('hi')], { exchange: 'exchange-stored' })).toBe('unnamed-stored')
  expect(caller()([user('hi')], { exchange: 'x' })).toBe(caller()([user('hi')], { exchange: 'x' }))
})

test('calls without messages are one session until they pause', () => {
  const ask = caller()
  const first = ask([], {}, 0)
  expect(ask([], {}, 0.4 * HOUR_MS)).toBe(first)
  expect(ask([], {}, 0.8 * HOUR_MS)).toBe(first)
  expect(ask([], {}, 2 * HOUR_MS)).not.toBe(first)
})

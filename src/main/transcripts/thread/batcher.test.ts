import { expect, test } from 'vitest'
import type { AnyDraft } from '../../decode/draft.ts'
import type { ImportBatch } from '../../recorder/protocol.ts'
import { createRedactor } from '../../redaction/create-redactor.ts'
import type { BatchSender } from '../batch-sender.ts'
import { createBatcher } from './batcher.ts'

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
const draft = (kind: 'assistant_text' | 'user_prompt', text: string) =>
  ({ kind, payload: { text }, keys: [], parents: [] }) as unknown as AnyDraft

/** A batcher whose batches go to a list; each is answered, or refused with an error. */
function batcher(refuse: Error | null = null) {
  const sent: Omit<ImportBatch, 'type' | 'batch'>[] = []
  const written: unknown[] = []
  const late = { timeouts: 0 }
  const sender = {
    async send(batch: (typeof sent)[number]) {
      sent.push(batch)
      return { answered: refuse === null ? Promise.resolve({ added: 1 }) : Promise.reject(refuse) }
    },
  } as unknown as BatchSender
  const under = createBatcher({
    sender,
    redactor: createRedactor({ hashKey: Buffer.alloc(32, 7), enabled: true }),
    timeouts: () => ({ slow: late.timeouts }),
    onWritten: (result) => void written.push(result),
  })
  return { under, sent, written, late }
}

const checkpoint = (path: string) => ({ path, identity: '', offset: 0, size: 0, mtime_ms: 0 })

test('each batch has only its own counts: of secrets, of patterns out of time, of unknown fields', async () => {
  const { under, sent, late } = batcher()
  for (const field of ['a', 'b']) {
    under.take([draft('user_prompt', `token ${SECRET}`)], 10)
    under.unknownField(field)
    late.timeouts += 2
    await under.send()
  }
  expect(sent.map(({ redacted }) => Object.values(redacted ?? {}))).toEqual([[1], [1]])
  expect(sent.map(({ redaction_timeouts }) => redaction_timeouts)).toEqual([2, 2])
  expect(sent.map(({ unknown_fields }) => unknown_fields)).toEqual([{ a: 1 }, { b: 1 }])
  expect(JSON.stringify(sent)).not.toContain(SECRET)
})

test('a batch is full by drafts, characters or files, but not in the middle of a message', () => {
  const texts = (count: number, kind: 'assistant_text' | 'user_prompt') =>
    Array.from({ length: count }, () => draft(kind, 'x'))
  const isFull = (drafts: readonly AnyDraft[], characters: number) => {
    const { under } = batcher()
    under.take(drafts, characters)
    return under.isFull()
  }
  expect([isFull(texts(499, 'user_prompt'), 1), isFull(texts(500, 'user_prompt'), 1)]).toEqual([false, true])
  expect([isFull(texts(500, 'assistant_text'), 1), isFull(texts(1000, 'assistant_text'), 1)]).toEqual([false, true])
  const MB = 1024 * 1024
  expect([isFull(texts(1, 'user_prompt'), MB - 1), isFull(texts(1, 'user_prompt'), MB)]).toEqual([false, true])
  expect([isFull(texts(1, 'assistant_text'), MB), isFull(texts(1, 'assistant_text'), 2 * MB)]).toEqual([false, true])
  const { under } = batcher()
  for (let at = 0; at < 500; at += 1) under.note(checkpoint(String(at)))
  expect(under.isFull()).toBe(true)
})

test('a secret that was cut over two texts of a message is removed from both', async () => {
  const { under, sent } = batcher()
  under.take([draft('assistant_text', `token ${SECRET.slice(0, 20)}`), draft('assistant_text', SECRET.slice(20))], 10)
  await under.send()
  expect(JSON.stringify(sent)).not.toContain(SECRET.slice(4, 20))
})

test('a refusal is reported once everything was answered; what was discarded is not sent', async () => {
  const { under, sent, written } = batcher(new Error('refused'))
  under.take([draft('user_prompt', 'a')], 1)
  await under.send()
  await expect(under.settled()).rejects.toThrow('refused')
  expect(under.failure()).toMatchObject({ message: 'refused' })
  under.take([draft('user_prompt', 'b')], 1)
  under.discard()
  await under.send()
  expect([sent.length, written]).toEqual([1, []])
})

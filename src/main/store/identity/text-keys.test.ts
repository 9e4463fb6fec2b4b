import { describe, expect, test } from 'vitest'
import type { AnyDraft } from '../../decode/draft.ts'
import { identityDigest, occurrence, textKeyPrefix, withIdentity } from './text-keys.ts'

/** Shows the hashed text. */
const hash = (text: string) => `(${text})`
const draft = (kind: string, text: string): AnyDraft =>
  ({ session_id: 's', kind, payload: { text }, keys: [], parents: [] }) as unknown as AnyDraft

describe('the key of a text', () => {
  test('depends on session and kind', () => {
    const prefixes = [
      textKeyPrefix({ session_id: 's', kind: 'user_prompt' }, 'yes', hash),
      textKeyPrefix({ session_id: 's', kind: 'assistant_text' }, 'yes', hash),
      textKeyPrefix({ session_id: 'other', kind: 'user_prompt' }, 'yes', hash),
      textKeyPrefix({ session_id: 's', kind: 'user_prompt' }, 'no', hash),
    ]
    expect(new Set(prefixes).size).toBe(4)
    expect(prefixes[0]).toMatch(/^text:.*:$/s)
  })

  test('does not depend on line ends, on space around it, or on whether the text is a digest already', () => {
    const digest = identityDigest('two\nlines', hash)
    expect(identityDigest(' two\r\nlines\n', hash)).toBe(digest)
    expect(identityDigest(digest, hash)).toBe(digest)
    expect(identityDigest('two lines', hash)).not.toBe(digest)
  })

  test('ends with the number of the occurrence, in an order that sorts', () => {
    expect([occurrence(1), occurrence(12)]).toEqual(['000001', '000012'])
    expect(occurrence(9) < occurrence(10)).toBe(true)
  })
})

test.each(['thinking', 'assistant_text'])('%s is also known by its text, unless it is empty', (kind) => {
  expect(withIdentity(draft(kind, 'done')).text_identity).toEqual({ text: 'done', within_ms: null })
  expect(withIdentity(draft(kind, '')).text_identity).toBeUndefined()
  const own = { text: 'own', within_ms: 5 }
  expect(withIdentity({ ...draft(kind, 'done'), text_identity: own }).text_identity).toEqual(own)
})

test('a note is not known by its text', () => {
  expect(withIdentity(draft('notification', 'done')).text_identity).toBeUndefined()
})

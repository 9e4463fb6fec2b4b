import { expect, test } from 'vitest'
import type { RequestKind } from '../../../../shared/event.ts'
import { addsOnlyClientText, latestWords } from './latest-words.ts'

const user = (...texts: readonly string[]) => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
})
const hash = (text: string) => `hash of ${text}`

test.each<[string, readonly string[], RequestKind, boolean]>([
  ['the same prompt', ['Go on.'], 'prompt', false],
  ['the same prompt in a request for a summary', ['Go on.'], 'compaction', true],
  ['another prompt in a request for a summary', ['Go away.'], 'compaction', false],
  ['a longer prompt in a request for a summary', ['Go on. Now.'], 'compaction', false],
  ['a notice of the client', ['Go on.', '<system-reminder>\nRead it.\n</system-reminder>'], 'prompt', true],
  ['a second prompt', ['Go on.', 'And then?'], 'prompt', false],
])('%s after an earlier request', (_, texts, kind, expected) => {
  const answered = [user('Begin.'), { role: 'assistant', content: 'Begun.' }]
  const previous = latestWords([...answered, user('Go on.')], 1, hash)
  expect(addsOnlyClientText([...answered, user(...texts)], 1, previous, hash, kind)).toBe(expected)
})

import { describe, expect, test } from 'vitest'
import { haveConflictingKeys, isOfOneExchange } from './key-forms.ts'

describe('keys conflict if they have a form in common and no key of that form', () => {
  test.each([
    ['two lines', ['line:a'], ['line:b'], true],
    ['two lines of one prompt', ['line:a', 'prompt:p'], ['line:b', 'prompt:p'], true],
    ['one line', ['line:a'], ['line:a'], false],
    ['one line of several', ['line:b'], ['line:a', 'line:b'], false],
    ['keys of different forms', ['line:a'], ['prompt:p', 'block:m:0'], false],
    ['two blocks of one message', ['block:m:0'], ['block:m:1'], true],
    ['the start and the end of an agent', ['agent:a:start'], ['agent:a:end'], false],
    ['the starts of two agents', ['agent:a:start'], ['agent:b:start'], true],
    ['two places in one history', ['exchange:x:history:1:0'], ['exchange:x:history:3:0'], true],
    ['the same place in two histories', ['exchange:x:history:1:0'], ['exchange:y:history:1:0'], false],
    ['two commands of a session', ['command:compaction:s:a'], ['command:compaction:s:b'], true],
    ['a command and its copy in a fork', ['command:compaction:s:a'], ['command:compaction:fork:a'], false],
    ['two occurrences of a text', ['text:abc:000001'], ['text:abc:000002'], false],
    ['two entries of the spool', ['spool:1'], ['spool:2'], false],
  ])('%s', (_, keys, known, isConflict) => {
    expect(haveConflictingKeys(keys, known)).toBe(isConflict)
    expect(haveConflictingKeys(known, keys)).toBe(isConflict)
  })
})

test.each([
  ['exchange:x:prompt:0', true],
  ['exchange:x:history:3:0', true],
  ['spool:1', true],
  ['exchange:x:request', false],
  ['prompt:p', false],
  ['line:a', false],
])('%s only says where one exchange showed it: %s', (key, isShown) => {
  expect(isOfOneExchange(key)).toBe(isShown)
})

import { dictionary, assert as holds, oneof, property, string, array, integer, boolean } from 'fast-check'
import { expect, test } from 'vitest'
import { inputAsWritten } from './input-as-written.ts'

test.each([
  ['', ''],
  ['{', ''],
  ['{"comm', ''],
  ['{"command": "ls -l', 'ls -l'],
  [String.raw`{"command":"echo \"a\"\nls \u00e`, 'echo "a"\nls '],
  [String.raw`{"command":"echo \"a\"\nls" , "description"`, 'echo "a"\nls'],
  [
    '{"file_path":"/a/b.ts","old_string":"let a","new_string":"const a\\',
    '/a/b.ts\nold_string: let a\nnew_string: const a',
  ],
  ['{"command":"ls","timeout":5000,"background":true}', 'ls\ntimeout: 5000\nbackground: true'],
  ['{"todos":[{"content":"read","status":"done"},{"content":"wri', 'read\nstatus: done\ncontent: wri'],
  ['{"paths":["a","b', 'a\npaths: b'],
  [String.raw`nd of a long file\n}","mode":"w"}`, 'nd of a long file\n}\nmode: w'],
])('%s', (json, readable) => {
  expect(inputAsWritten(json)).toBe(readable)
})

test('every value appears once it is complete, and no prefix of the JSON fails', () => {
  const value = oneof(string({ unit: 'grapheme' }), integer(), boolean(), array(string({ unit: 'grapheme' })))
  holds(
    property(dictionary(string({ unit: 'grapheme' }), value), (input) => {
      const json = JSON.stringify(input)
      const readable = inputAsWritten(json)
      for (const one of Object.values(input).flat()) expect(readable).toContain(String(one))
      for (let length = 0; length < json.length; length += 1) inputAsWritten(json.slice(0, length))
    }),
    { seed: 7 },
  )
})

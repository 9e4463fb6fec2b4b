import { expect, test } from 'vitest'
import { editJson, parseLooseJson } from './edit-json.ts'

const X = ['env', 'X']

// Set to "1", and removed again: the text of before. null: what is empty goes, too, so `undone` says what is left.
test.each([
  ['nothing', '', '{\n  "env": {\n    "X": "1"\n  }\n}\n', '{\n}\n'],
  ['an empty object', '{}', '{"env": {"X":"1"}}', null],
  ['an empty object on two lines', '{\n}\n', '{\n  "env": {\n    "X": "1"\n  }\n}\n', null],
  ['one line', '{"a":1}', '{"env": {"X":"1"},"a":1}', null],
  ['one line with blanks', '{ "a": 1 }\n', '{ "env": {"X":"1"}, "a": 1 }\n', null],
  ['an env on one line', '{"env":{"A":"1"}}', '{"env":{"X": "1","A":"1"}}', null],
  [
    'an empty env',
    '{\n  "env": {},\n  "a": 1\n}\n',
    '{\n  "env": {\n    "X": "1"\n  },\n  "a": 1\n}\n',
    '{\n  "a": 1\n}\n',
  ],
  ['tabs', '{\n\t"a": [1,\n2]\n}', '{\n\t"env": {\n\t\t"X": "1"\n\t},\n\t"a": [1,\n2]\n}', null],
  [
    'four spaces, lists on one line, no newline at the end',
    '{\n    "env": {\n        "A": "{,}"\n    },\n    "allow": ["Bash(ls:*)", "\\"}"]\n}',
    '{\n    "env": {\n        "X": "1",\n        "A": "{,}"\n    },\n    "allow": ["Bash(ls:*)", "\\"}"]\n}',
    null,
  ],
  [
    'CRLF and a byte order mark',
    '\uFEFF{\r\n  "a": 1.0,\r\n\r\n  "b": 1e3\r\n}\r\n',
    '\uFEFF{\r\n  "env": {\r\n    "X": "1"\r\n  },\r\n  "a": 1.0,\r\n\r\n  "b": 1e3\r\n}\r\n',
    null,
  ],
  ['a blank line first', '{\n\n  "a": 1\n}', '{\n  "env": {\n    "X": "1"\n  },\n\n  "a": 1\n}', null],
  [
    'comments',
    '{ // all "mine"\n  /* {,} */ "env": {\n    // too\n    "A": "//",\n  },\n}',
    '{ // all "mine"\n  /* {,} */ "env": {\n    "X": "1",\n    // too\n    "A": "//",\n  },\n}',
    '{ // all "mine"\n  /* {,} */ "env": {\n    // too\n    "A": "//",\n  },\n}',
  ],
  ['an env of null', '{"env":null,"a":1}', '{"env":{"X":"1"},"a":1}', '{"a":1}'],
  [
    'another value',
    '{ "env" : { "X" : {"a": 1} , "B":2 } }',
    '{ "env" : { "X" : "1" , "B":2 } }',
    '{ "env" : { "B":2 } }',
  ],
  ['it twice', '{"env":{"X":"0","B":2,"X":"0"}}', '{"env":{"X":"0","B":2,"X":"1"}}', '{"env":{"B":2}}'],
])('sets and removes a key, and keeps all else: %s', (_, text, set, undone) => {
  expect(editJson(text, X, '1')).toBe(set)
  expect(parseLooseJson(set)).toMatchObject({ env: { X: '1' } })
  expect(editJson(set, X, undefined)).toBe(undone ?? text)
})

test.each([
  ['the last line', '{\n  "env": {\n    "A": "1",\n    "X": "1"\n  }\n}', '{\n  "env": {\n    "A": "1"\n  }\n}'],
  ['the last word', '{"env":{"A":"1", "X":"1"}}', '{"env":{"A":"1"}}'],
  ['a word in between', '{"env":{"A":"1", "X":"1", "B":"2"}}', '{"env":{"A":"1", "B":"2"}}'],
  [
    'a word before others of its line, after a comment',
    '{"env": { // c\n    "X": "1", "A": "2"\n}}',
    '{"env": { // c\n    "A": "2"\n}}',
  ],
  ['the last, after a comment', '{"env": {\n  "A": "1", // c\n  "X": "1" }}', '{"env": {\n  "A": "1" // c\n  }}'],
  ['the only one, beside a comment', '{"env": {\n  // c\n  "X": "1"\n}}', '{"env": {\n  // c\n}}'],
  ['the only one of all', '{\n  "env": {\n    "X": "1"\n  }\n}\n', '{\n}\n'],
  ['none', '{"env":{"A":"1"},"X":"1"}', '{"env":{"A":"1"},"X":"1"}'],
  ['none of another kind', '{"env":["X"]}', '{"env":["X"]}'],
])('removes %s', (_, text, left) => {
  expect(editJson(text, X, undefined)).toBe(left)
  parseLooseJson(left)
})

test('writes lists as they were, on one line or several', () => {
  expect(editJson('{\n  "l": ["a"],\n  "m": [\n    "a"\n  ]\n}', ['l'], ['a', 'b'])).toContain('"l": ["a","b"]')
  expect(editJson('{\n  "m": [\n    "a"\n  ]\n}', ['m'], ['b'])).toBe('{\n  "m": [\n    "b"\n  ]\n}')
})

test.each(['{,}', '{"a" 1}', '["a"', '// only'])('refuses %s', (text) => {
  expect(() => parseLooseJson(text)).toThrow(SyntaxError)
})

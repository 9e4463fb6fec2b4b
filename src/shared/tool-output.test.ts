import { expect, test } from 'vitest'
import { answersOf, commandOutput, fileLines, foundPages, mediaOf, outputText, parsedJson } from './tool-output.ts'

test('the exit code is read from what each client writes around an output', () => {
  expect(commandOutput('Exit code 2\nno such file')).toEqual({ text: 'no such file', exitCode: 2 })
  expect(commandOutput('Chunk ID: 1a\nWall time: 0.2 seconds\nProcess exited with code 1\nOutput:\nFAIL\n')).toEqual({
    text: 'FAIL\n',
    exitCode: 1,
  })
  expect(commandOutput('Exit code: 0\nWall time: 1 seconds\nOutput:\n')).toEqual({ text: '', exitCode: 0 })
  expect(commandOutput('{"output":"hi","metadata":{"exit_code":3}}')).toEqual({ text: 'hi', exitCode: 3 })
  expect(commandOutput('Exit codes are numbers')).toEqual({ text: 'Exit codes are numbers', exitCode: null })
  expect(commandOutput('')).toEqual({ text: '', exitCode: null })
})

test('numbered lines become code with the number of its first line', () => {
  expect(fileLines('     9→const a = 1\n    10→\n    11→end\n')).toEqual({ first: 9, code: 'const a = 1\n\nend' })
  expect(fileLines('1\ta\n2\tb')).toEqual({ first: 1, code: 'a\nb' })
  expect(fileLines('1\ta\n3\tb')).toBeNull()
  expect(fileLines('plain')).toBeNull()
})

test('answers come from the detail, or from the sentence that the model got', () => {
  expect(answersOf('', { answers: { 'Which?': 'A' } }).get('Which?')).toBe('A')
  expect(answersOf('', { answers: { q1: { answers: ['A', 'B'] } } }).get('q1')).toBe('A, B')
  expect(answersOf('User has answered your questions: "Which?"="B". Go on.', undefined).get('Which?')).toBe('B')
})

test('found pages are read from blocks and from a list of links', () => {
  const page = { title: 'T', url: 'https://example.com' }
  expect(foundPages([{ type: 'web_search_result', ...page }])).toEqual([page])
  expect(foundPages(`Web search results\n\nLinks: [${JSON.stringify(page)}]\n\nSummary`)).toEqual([page])
  expect(foundPages('nothing')).toEqual([])
})

test('media and JSON in an output are recognized', () => {
  const image = { type: 'image', media_type: 'image/png', bytes: 7, hash: 'a' }
  expect(mediaOf([image, { type: 'text', text: 'x' }])).toEqual([
    { type: 'image', mediaType: 'image/png', bytes: 7, hash: 'a' },
  ])
  expect(outputText([image, { type: 'text', text: 'x' }])).toBe('x')
  expect(parsedJson('{"a":1}')).toEqual({ a: 1 })
  expect(parsedJson('[FAIL] 1')).toBeUndefined()
  expect(parsedJson('{oops}')).toBeUndefined()
})

import { expect, test } from 'vitest'
import { snippetParts, snippetText } from './snippet.ts'

test('only marks are tags; any other tag is text', () => {
  const snippet = '<b>one</b> <mark>two</mark> three'
  expect(snippetParts(snippet)).toEqual([
    { text: '<b>one</b> ', marked: false },
    { text: 'two', marked: true },
    { text: ' three', marked: false },
  ])
  expect(snippetText(snippet)).toBe('<b>one</b> two three')
})

test('only mark tags of a snippet have a meaning', () => {
  expect(snippetParts('a <mark>b</mark> <img src=x onerror=alert(1)>')).toEqual([
    { text: 'a ', marked: false },
    { text: 'b', marked: true },
    { text: ' <img src=x onerror=alert(1)>', marked: false },
  ])
})

import { expect, test } from 'vitest'
import { excerptOf, fromMark, promptText, snippetParts, snippetText } from './snippet.ts'

test('only marks are tags; any other tag is text', () => {
  const snippet = '<b>one</b> <mark>two</mark> three'
  expect(snippetParts(snippet)).toEqual([
    { text: '<b>one</b> ', marked: false },
    { text: 'two', marked: true },
    { text: ' three', marked: false },
  ])
  expect(snippetText(snippet)).toBe('<b>one</b> two three')
})

test('a prompt without words is named after what it was', () => {
  expect(['<mark>why</mark>?', ' ', ''].map(promptText)).toEqual(['why?', 'An image or a file', 'An image or a file'])
})

test('only mark tags of a snippet have a meaning', () => {
  expect(snippetParts('a <mark>b</mark> <img src=x onerror=alert(1)>')).toEqual([
    { text: 'a ', marked: false },
    { text: 'b', marked: true },
    { text: ' <img src=x onerror=alert(1)>', marked: false },
  ])
})

test('a line about a decision begins with its sentence, not with what was said before', () => {
  const summary = '…the old shop, then its totals by month.\n2. <mark>Decided</mark>: rejected rows keep their number.'
  expect(fromMark(summary)).toBe('Decided: rejected rows keep their number.')
  expect(fromMark('A cut loses 100 ms. We <mark>decided</mark>: no timer. Then…')).toBe('We decided: no timer. Then…')
  expect(fromMark('<mark>Decided</mark> at once')).toBe('Decided at once')
  expect(fromMark('no mark. here')).toBe('no mark. here')
})

test('an excerpt of Markdown has no signs of it; what a person or a tool wrote is left as it is', () => {
  const content = '## Plan\n\nUse **<mark>cents</mark>** in `vat.py`, not f(**kwargs)'
  expect(excerptOf({ content, match_type: 'thinking' })).toBe('Plan\nUse <mark>cents</mark> in vat.py, not f(**kwargs)')
  expect(excerptOf({ content, match_type: 'user_prompt' })).toBe(content.replace('\n\n', '\n'))
})

test.each([
  ['of a table', '| Way | Cost |\n|:---|---:|\n| a \\| b | <mark>$2</mark> |', 'Way · Cost\na | b · <mark>$2</mark>'],
  [
    'without outer bars',
    'So:\nWay | Cost\n--- | ---\ncents | <mark>$2</mark>',
    'So:\nWay · Cost\ncents · <mark>$2</mark>',
  ],
  ['cut at both ends', '…ts | $1 |\n| float | <mark>$2</mark> |\n| tex…', '…ts · $1\nfloat · <mark>$2</mark>\ntex…'],
  ['cut in its rule', '…--|---|\n| <mark>float</mark> | $2 |', '<mark>float</mark> · $2'],
  ['of a fence', 'Run\n```sh\ncat <mark>a</mark> | sort\n```\nagain', 'Run\ncat <mark>a</mark> | sort\nagain'],
])('an excerpt %s is read line by line', (_, content, read) => {
  expect(excerptOf({ content, match_type: 'assistant_response' })).toBe(read)
})

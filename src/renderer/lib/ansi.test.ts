import { expect, test } from 'vitest'
import { withoutAnsi } from '../../shared/terminal-text.ts'
import { ansiSpans } from './ansi.ts'

const E = '\u001B'

test('colors become colors of the theme', () => {
  expect(ansiSpans(`a ${E}[31mFAIL${E}[0m b`)).toEqual([
    { text: 'a ', look: '' },
    { text: 'FAIL', look: 'text-bad' },
    { text: ' b', look: '' },
  ])
  expect(ansiSpans(`${E}[1;32mok${E}[22m still${E}[39m plain`)).toEqual([
    { text: 'ok', look: 'text-good font-semibold' },
    { text: ' still', look: 'text-good' },
    { text: ' plain', look: '' },
  ])
  expect(ansiSpans(`${E}[38;5;196mred${E}[38;2;0;200;0mgreen${E}[90mgrey`).map(({ look }) => look)).toEqual([
    'text-bad',
    'text-good',
    'text-faint',
  ])
  expect(ansiSpans(`${E}[41;97mFAIL${E}[m`)).toEqual([{ text: 'FAIL', look: 'bg-bad-soft text-bad' }])
})

test('everything else that controls a terminal is removed', () => {
  const output = `${E}]8;;https://example.com${E}\\link${E}]8;;${E}\\ ${E}[2K${E}[1Gx\u0007\u0008y ${E}(Bz`
  expect(withoutAnsi(output)).toBe('link xy z')
  expect(
    ansiSpans(output)
      .map(({ text }) => text)
      .join(''),
  ).toBe('link xy z')
  expect(withoutAnsi('a\r\nb\r\n')).toBe('a\nb\n')
  expect(withoutAnsi('10%\r50%\r100%\ndone')).toBe('100%\ndone')
  expect(withoutAnsi(`cut ${E}[`)).toBe('cut [')
})

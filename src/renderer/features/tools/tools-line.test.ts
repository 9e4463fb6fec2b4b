import { expect, test } from 'vitest'
import { toolSentences } from './tools-line.ts'

const total = (tool: string, calls: number, failed: number) => ({ tool, calls, failed })
const said = (...given: Parameters<typeof toolSentences>) =>
  toolSentences(...given)
    .map(({ text }) => text)
    .join(' ')

test('says how many calls failed, how that compares, and which tool failed most', () => {
  const tools = [total('Bash', 150, 24), total('Read', 50, 1)]
  expect(said(tools, [total('Bash', 100, 4)])).toBe(
    '25 of 200 calls failed: 13%, 4% in the same time before. Most were Bash: 24.',
  )
})

test('does not compare with too few calls, names no tool that did not fail most, and is silent without calls', () => {
  const tools = [total('Bash', 60, 3), total('Read', 40, 3)]
  expect(said(tools, [total('Bash', 19, 4)])).toBe('6 of 100 calls failed: 6%.')
  expect(said(tools, undefined)).toBe('6 of 100 calls failed: 6%.')
  expect(said([total('Bash', 60, 0)], undefined)).toBe('None of 60 calls failed.')
  expect(toolSentences([], undefined)).toEqual([])
})

import { expect, test } from 'vitest'
import { blame, blamedLines, recordedText } from './blame.ts'

const ITEM = { cause: null, prompt: null, prompt_text: null, model: null, ts_wall: null, cost_usd: null }

/** A file of two lines that a call wrote and another deleted. */
const deleted = (...texts: string[]) =>
  ({
    path: '/work/plan.md',
    state: 'absent',
    doubted_since: null,
    partial: false,
    items: texts.map((text, at) => ({ ...ITEM, line: at + 1, text, origin: 'proven', event: 'write' })),
  }) as unknown as Parameters<typeof blamedLines>[1]

test('a deleted file that is back with the same text has its lines from the record', () => {
  const lines = blamedLines('# Plan\nShip on Friday.\n', deleted('# Plan', 'Ship on Friday.', ''))
  expect(lines.map(({ origin, event }) => [origin, event])).toEqual([
    ['proven', 'write'],
    ['proven', 'write'],
    ['proven', 'write'],
  ])
})

test.each([
  ['nothing may have changed', null, '}\n}\n', 'proven'],
  ['a command may have changed, and that says little', 'a-call', '}\n}\n', 'unknown'],
  ['a command may have changed, and that tells enough', 'a-call', 'const first = all(1)\n}\n}\n', 'proven'],
])('each line of a file that is as recorded, which %s, has its origin', (_, doubted_since, text, origin) => {
  const found = { ...deleted(...text.split('\n')), state: 'known' as const, doubted_since }
  expect(new Set(blamedLines(text, found).map((line) => line.origin))).toEqual(new Set([origin]))
})

test('who brought it back with another text may have written all of it', () => {
  const lines = blamedLines('# Plan\nShip on Monday.\n', deleted('# Plan', 'Ship on Friday.', ''))
  expect(lines.map(({ origin }) => origin)).toEqual(['unknown', 'unknown', 'unknown'])
})

test('a file that has an earlier text again has the origins of that', async () => {
  const [first, second] = [
    ['const first = all(1)', ''],
    ['const second = all(2)', ''],
  ]
  const blamed = (texts: readonly string[], event: string) => ({
    ...deleted(),
    state: 'known',
    items: texts.map((text, at) => ({ ...ITEM, line: at + 1, text, origin: 'proven', event })),
  })
  const items = ['one', 'two'].map((uuid) => ({ uuid, path: '/work/plan.md', lines: 1 }))
  const call = async (name: string, { until }: { until?: string }) =>
    name === 'files.history' ? { items } : until === 'one' ? blamed(first, 'one') : blamed(second, 'two')
  const eventsOf = async (text: string) =>
    (await recordedText({ call } as never, { path: '/work/plan.md' }, text)).items.map(({ event }) => event)
  expect(await eventsOf('const first = all(1)\n')).toEqual(['one', 'one'])
  expect(await eventsOf('const second = all(2)\n')).toEqual(['two', 'two'])
  expect(await eventsOf('const third = all(3)\n')).toEqual(['two', 'two'])
})

test('a file of both line endings keeps its origins, and the ends of a whole one are known', () => {
  const found = {
    ...deleted('}', 'const first = all(1)', 'const second = all(2)', '}'),
    state: 'known',
    is_whole: true,
  }
  const lines = blamedLines('}\r\nconst first = all(1)\r\nconst other = all(3)\n}', found as never)
  expect(lines.map(({ origin, reformatted }) => [origin, reformatted])).toEqual([
    ['proven', false],
    ['proven', false],
    ['unknown', false],
    // Beside a change, it may be another one.
    ['unknown', false],
  ])
  const part = blamedLines('}\nconst other = all(3)\n}', { ...found, is_whole: false } as never)
  expect(part.map(({ origin }) => origin)).toEqual(['unknown', 'unknown', 'unknown'])
})

test('of a file that is gone, it says what prints it and what writes it again', async () => {
  const call = () => Promise.resolve({ items: [{}], partial: false })
  const asked = blame({ call } as unknown as Parameters<typeof blame>[0], { path: '/nonexistent/app.ts' })
  await expect(asked).rejects.toThrow(/app\.ts is gone; .*aspy file show.*aspy file restore/)
})

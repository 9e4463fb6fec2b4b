import { expect, test } from 'vitest'
import type { ShapeBlock } from '../../shared/request-shape.ts'
import { diffBlocks } from './diff.ts'
import type { RequestBlocks } from './request-blocks.ts'

const block = (hash: string, tool?: string): ShapeBlock => ({
  hash,
  kind: tool === undefined ? 'text' : 'tool',
  bytes: 1,
  ...(tool === undefined ? {} : { tool }),
})

/** Tools as `name:hash`, messages as lists of hashes. */
function request(tools: readonly string[], messages: readonly string[][]): RequestBlocks {
  const definitions = tools.map((text) => {
    const [tool = '', hash = ''] = text.split(':')
    return block(hash, tool)
  })
  return {
    tools: definitions,
    system: [block('system')],
    messages: messages.map((hashes) => ({ role: 'user', blocks: hashes.map((hash) => block(hash)) })),
    shape: {} as RequestBlocks['shape'],
  }
}

const changes = (before: RequestBlocks, now: RequestBlocks) =>
  diffBlocks(before, now).map(({ change, at, blocks }) => `${change} ${at} ${blocks}`)

test('equal neighbours are one entry, over all lists and on both sides of a change', () => {
  const before = request(['Read:r', 'Bash:b'], [['one', 'two'], ['three']])
  expect(changes(before, before)).toEqual(['equal tools[0] 6'])
  expect(changes(before, request(['Read:r', 'Bash:b'], [['one', 'new'], ['three']]))).toEqual([
    'equal tools[0] 4',
    'changed messages[0].content[1] 1',
    'equal messages[1].content[0] 1',
  ])
})

test('a tool is found by its name, wherever it went; what has no partner was added or removed', () => {
  const before = request(['Read:r', 'Bash:b', 'Edit:e'], [])
  expect(changes(before, request(['Bash:b', 'Read:r', 'Edit:e'], []))).toEqual([
    'moved tools[0] 1',
    'moved tools[1] 1',
    'equal tools[2] 2',
  ])
  expect(changes(before, request(['Edit:e2', 'Read:r', 'Grep:g'], []))).toEqual([
    'changed tools[0] 1',
    'moved tools[1] 1',
    'added tools[2] 1',
    'removed tools[1] 1',
    'equal system[0] 1',
  ])
})

test('both sides of a changed block are given', () => {
  const [, change] = diffBlocks(request([], [['one']]), request([], [['two']]))
  expect(change).toMatchObject({ before: { hash: 'one' }, after: { hash: 'two' } })
})

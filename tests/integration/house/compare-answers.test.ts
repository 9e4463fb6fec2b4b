import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compareFolders } from '../../../scripts/answers/compare.ts'
import { plannedCalls } from '../../../scripts/answers/inputs.ts'
import { findOperation } from '../../../src/shared/contract/index.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

/** Writes recorded answers below a folder. */
function write(folder: string, files: Readonly<Record<string, readonly object[]>>): string {
  for (const [name, entries] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(entries))
  }
  return folder
}

test('recorded answers differ where an answer, a row or a file does', () => {
  using folder = makeTempFolder()
  const sums = (second: number) => [
    { input: {}, answer: { total_tokens: 7, models: ['a', 'b'] } },
    { input: { project: '/work/app' }, answer: { total_tokens: second, models: ['a'] } },
  ]
  const turns = (...numbers: number[]) => numbers.map((turn_id) => ({ session_id: 's', turn_id, calls: turn_id }))
  const before = write(join(folder.path, 'before'), {
    'operations/stats.summary': sums(3),
    'tables/turns': turns(1, 2, 3),
    'tables/tasks': [],
  })
  const after = write(join(folder.path, 'after'), {
    'operations/stats.summary': sums(4),
    'tables/turns': turns(1, 3, 4),
  })
  expect(compareFolders(before, before, 5)).toEqual([])
  expect(compareFolders(before, after, 1)).toEqual([
    'operations/stats.summary.json: 1 differences',
    '  {"project":"/work/app"} .answer.total_tokens: 3 → 4',
    `tables/tasks.json: only in ${before}`,
    'tables/turns.json: 2 differences',
    '  s 2: only before',
    '  … 1 more',
  ])
})

test('a list is called with each filter alone, each order and all pages', () => {
  const operation = findOperation('sessions.list')
  if (operation === undefined) throw new Error('sessions.list is gone')
  const facts = new Map([
    ['project', ['/work/app', '/work/site']],
    ['client', ['codex']],
  ])
  const calls = plannedCalls(operation, facts)
  const inputs = calls.map(({ input }) => input)
  for (const project of ['/work/app', '/work/site', 'no-such-project']) expect(inputs).toContainEqual({ project })
  expect(inputs).toContainEqual({ project: '/work/app', client: 'codex' })
  expect(inputs).toContainEqual({ sort: 'cost' })
  expect(calls.find(({ input }) => input['limit'] === 500)?.pages).toBeGreaterThan(100)
})

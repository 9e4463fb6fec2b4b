import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

const SESSION = '11111111-2222-3333-4444-555555555555'
const SCRIPT = join(import.meta.dirname, '../../../scripts/write-commit-questions.ts')

test('a commit asks for the turn that wrote its lines, a later one for the turn whose lines it replaced', () => {
  using folder = makeTempFolder()
  const repository = join(folder.path, 'repository')
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(repository, file)), { recursive: true })
    writeFileSync(join(repository, file), text)
  }
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words])
  const commit = (day: number, ...messages: string[]) => {
    const date = `2026-01-0${day}T12:00:00Z`
    git('add', '--all')
    git('commit', '--date', date, ...messages.flatMap((message) => ['-m', message]))
  }
  mkdirSync(repository)
  git('init', '--quiet', '--initial-branch=main')
  write('src/sum.ts', 'export const sum = (a: number, b: number) => a + b\n')
  commit(2, 'feat: add up two numbers (#7)', 'Entire-Checkpoint: aabbccddeeff')
  write('src/sum.ts', 'export const sum = (...all: number[]) => all.reduce((a, b) => a + b, 0)\n')
  commit(3, 'fix: any amount of summands')
  write('src/other.ts', 'export const nobody = "asked a recorded session for this"\n')
  commit(4, 'written by hand alone')
  git('checkout', '--quiet', '--orphan', 'entire/checkpoints/v1')
  write('aa/bbccddeeff/0/metadata.json', JSON.stringify({ session_id: `2026-01-02-${SESSION}` }))
  write('aa/bbccddeeff/0/full.jsonl', transcript())
  commit(4, 'Checkpoint')

  execFileSync(process.execPath, [SCRIPT, repository, join(folder.path, 'set')])

  const read = (name: string) =>
    readFileSync(join(folder.path, 'set', `${name}.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; kind: string; query: string; expected: string[] })
  expect(read('documents').map(({ id }) => id)).toEqual(['hello', 'prompt', 'answer'])
  expect(read('open')).toMatchObject([{ kind: 'made', query: 'add up two numbers', expected: ['prompt', 'answer'] }])
  expect(read('unseen')).toMatchObject([
    { kind: 'changed', query: 'any amount of summands', expected: ['prompt', 'answer'] },
  ])
})

/** A session of two turns, of which the second one writes a file. */
function transcript(): string {
  const line = (uuid: string, type: 'user' | 'assistant', ...content: unknown[]) =>
    JSON.stringify({ type, uuid, sessionId: SESSION, timestamp: '2026-01-02T09:00:00Z', message: { content } })
  const input = { file_path: '/home/a/src/sum.ts', content: 'export const sum = (a: number, b: number) => a + b\n' }
  return [
    line('hello', 'user', { type: 'text', text: 'Hello' }),
    line('prompt', 'user', { type: 'text', text: 'A function for the total, please' }),
    line('edit', 'assistant', { type: 'tool_use', id: 'a', name: 'Write', input }),
    line('answer', 'assistant', { type: 'text', text: 'It is in src/sum.ts.' }),
    '{"type":"user","uuid":"cut',
  ].join('\n')
}

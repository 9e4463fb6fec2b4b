import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

const BENCH = join(import.meta.dirname, '../../bench/recall.ts')
interface Figures {
  readonly queries: number
  readonly r1: number
  readonly r5: number
}
interface Report {
  readonly set: string
  readonly [kind: string]: Figures | string
}

async function bench(...args: string[]): Promise<{ reports: Report[]; said: string }> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [BENCH, '--json', ...args])
  return {
    reports: stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Report),
    said: stderr,
  }
}

const figures = (report: Report | undefined, kind: string): Figures => {
  const found = report?.[kind]
  if (found === undefined || typeof found === 'string') throw new Error(`no figures of ${kind}`)
  return found
}

test('recall reaches its promised quality on its own set', async () => {
  const [own] = (await bench('--set', 'own')).reports
  const least = {
    phrase: 1,
    keywords: 0.95,
    inflected: 0.95,
    identifier_part: 0.7,
    question: 0.85,
    cjk: 0.9,
    overall: 0.85,
  }
  for (const [kind, share] of Object.entries(least)) expect(figures(own, kind).r5, kind).toBeGreaterThanOrEqual(share)
  expect(figures(own, 'overall').queries).toBeGreaterThanOrEqual(200)
}, 480_000)

test('recall reaches its promised quality on conversations it was not tuned on', async () => {
  const { reports } = await bench('--set', 'talks', '--sample', '200')
  const talks = reports.find(({ set }) => set === 'talks, not tuned on')
  // Words that a person remembers, mixed with words that were never said.
  expect(figures(talks, 'words').r5).toBeGreaterThanOrEqual(0.95)
  expect(figures(talks, 'loose').r5).toBeGreaterThanOrEqual(0.8)
}, 480_000)

test('the recall bench accepts sets of any origin and reports what it could not use', async () => {
  using folder = makeTempFolder()
  const lines = [
    {
      id: 1,
      session: 'a',
      time: '2023-05-08T10:00:00Z',
      kind: 'Caroline',
      text: 'I went to the pride parade last week',
    },
    { text: 'no id, session or time: zebra' },
    { id: 'blocks', session_id: 'b', timestamp: 1_700_000_000, role: 'assistant', content: [{ text: 'quokka' }] },
    { id: 'big', time: 'nonsense', kind: 'odd', text: `needle ${'word '.repeat(2_000_000)}` },
    { id: 'spoken', speaker: 'Zed', text: 'Hi there from me' },
    { id: 'call', session: 'a', kind: 'tool_call', text: 'npm run xylophone' },
    { id: 'empty', text: '' },
    { id: 1, text: 'the same id' },
  ]
  const documents = `\uFEFF${lines.map((line) => JSON.stringify(line)).join('\r\n')}\r\nno json\n\n{"id":"cut","te`
  writeFileSync(join(folder.path, 'documents.jsonl'), documents)
  const queries = [
    { question: 'pride parade?', relevant: 1, category: 'one' },
    { query: 'zebra', ids: ['documents.jsonl:2'] },
    { query: 'quokka', expected: ['blocks'] },
    { query: 'needle', expected: 'big' },
    { query: 'what did Zed say', relevant: [{ id: 'spoken' }] },
    { query: 'xylophone', expected: ['call'] },
    { query: 'zebra', expected: ['gone'], kind: 'lost' },
    { query: '' },
  ]
  using asked = makeTempFolder()
  const file = join(asked.path, 'queries.json')
  writeFileSync(file, JSON.stringify(queries))
  const { reports, said } = await bench('--documents', folder.path, '--queries', file)
  expect(figures(reports[0], 'all')).toMatchObject({ queries: 5, r1: 1 })
  expect(figures(reports[0], 'one')).toMatchObject({ queries: 1, r1: 1 })
  expect(figures(reports[0], 'lost')).toMatchObject({ queries: 1, r5: 0 })
  expect(said.trim().split('\n').toSorted()).toEqual([
    '1 documents with an id that another has',
    '1 documents without text',
    '1 queries whose expected ids no document has',
    '1 queries without words',
    '2 lines that are not a JSON object',
  ])
}, 480_000)

import { cpSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/store/folder.ts'
import { importInto } from '../../support/transcripts/import-folder.ts'
import { inOrder } from '../../support/transcripts/independent-rollouts.ts'
import { recordedRollouts } from '../../support/transcripts/recorded-rollouts.ts'
import { few } from '../../support/runner/heavy.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/rollouts')
const FOLDERS = ['codex-0.169', 'events-0.104', 'bare-0.20']

/** Copies the rollouts, and changes each as bytes. */
function copyOf(change: (text: string) => string | Buffer): string {
  const path = join(temporaryFolder(), '.codex')
  for (const folder of FOLDERS) cpSync(join(FIXTURES, folder), path, { recursive: true })
  for (const file of globSync('**/*.jsonl', { cwd: path })) {
    const whole = join(path, file)
    writeFileSync(whole, change(readFileSync(whole, 'utf8')))
  }
  return path
}
const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')
const recordOf = async (path: string) => inOrder(recordedRollouts(await importInto(temporaryFolder(), [path])))
let known: ReturnType<typeof recordOf> | null = null
const original = () => (known ??= recordOf(copyOf((text) => text)))

const odd = (type: string, payload: unknown) => JSON.stringify({ timestamp: '2026-11-22T23:58:00.000Z', type, payload })
const VARIANTS: Readonly<Record<string, (text: string) => string | Buffer>> = {
  'a byte order mark, line ends of Windows and empty lines': (text) => `\uFEFF${linesOf(text).join('\r\n\r\n')}\r\n`,
  // A line without a time may be said again.
  'every line twice': (text) =>
    `${linesOf(text)
      .flatMap((line) => (line.startsWith('{"timestamp"') ? [line, line] : [line]))
      .join('\n')}\n`,
  'half a line at the end, as if it is being written': (text) => `${text.trimEnd()}\n{"timestamp":"2026-11-22T2`,
  'values that are not lines of a rollout': (text) =>
    `${linesOf(text)
      .flatMap((line) => [line, 'null', '42', '[]', '{}', '"text"', '{"type":', '\0\0\0', '{"type":7,"payload":[]}'])
      .join('\n')}\n`,
  'a line of 50 MB': (text) => {
    if (!text.includes('01a205b1-d5ef')) return text
    const [first = '', ...rest] = linesOf(text)
    return `${[first, odd('event_msg', { type: 'sparkle', text: 'x'.repeat(50 * 1024 * 1024) }), ...rest].join('\n')}\n`
  },
  'a second writer, whose lines are cut in the middle of others': (text) => {
    const [first = '', ...rest] = linesOf(text)
    return `${[first, ...rest.flatMap((line) => ['{"timestamp":"2026-11-22T23:58:00.000Z","type":"event_m', line])].join('\n')}\n`
  },
}

test.each(few(Object.keys(VARIANTS), 2))(
  '%s: the record is that of the undamaged files',
  async (name) => {
    expect(await recordOf(copyOf(VARIANTS[name] ?? String))).toEqual(await original())
  },
  300_000,
)

test('beside bombs, empty and strange files, links and folders, all rollouts are read', async () => {
  const path = copyOf((text) => text)
  const put = (name: string, bytes: string | Buffer) => {
    const whole = join(path, 'sessions/2026/11/22', `rollout-2026-11-22T10-00-00-${name}`)
    mkdirSync(dirname(whole), { recursive: true })
    writeFileSync(whole, bytes)
    return whole
  }
  put('01a205b1-0000-7000-8000-000000000001.jsonl', '')
  put('01a205b1-0000-7000-8000-000000000002.jsonl', '\uFEFF')
  put('01a205b1-0000-7000-8000-000000000003.jsonl', Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0xc3]))
  put('01a205b1-0000-7000-8000-000000000004.jsonl.zst', zstdCompressSync(Buffer.alloc(512 * 1024 * 1024)))
  put('01a205b1-0000-7000-8000-000000000005.jsonl.zst', 'not compressed at all')
  truncateSync(put('01a205b1-0000-7000-8000-000000000006.jsonl', 'x'), 300 * 1024 * 1024)
  // As the first versions wrote them: one value over many lines.
  put('01a205b1-0000-7000-8000-000000000007.jsonl', JSON.stringify([{ type: 'message', role: 'user' }], null, 2))
  mkdirSync(join(path, 'sessions/2026/11/22/rollout-folder.jsonl'))
  symlinkSync(path, join(path, 'sessions/circle'))
  symlinkSync('/dev/zero', join(path, 'sessions/rollout-endless.jsonl'))
  const db = await importInto(temporaryFolder(), [path])
  const opened = new Database(db, { readonly: true })
  const failures = opened.prepare("SELECT count(*) FROM events WHERE kind = 'unknown'").pluck().get()
  opened.close()
  expect(inOrder(recordedRollouts(db)).filter(({ session }) => !session.includes('01a205b1-0000-7000'))).toEqual(
    await original(),
  )
  expect(failures).toBeLessThan(50)
  rmSync(path, { recursive: true })
}, 300_000)

import { cpSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openTestStore, readStore, temporaryFolder } from '../../support/store/folder.ts'
import { importInto } from '../../support/transcripts/import-folder.ts'
import { countRollouts, inOrder } from '../../support/transcripts/independent-rollouts.ts'
import { recordedRollouts } from '../../support/transcripts/recorded-rollouts.ts'
import { few } from '../../support/runner/heavy.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/rollouts')
const folders = readdirSync(FIXTURES, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
)

const countEvents = (path: string): unknown => {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare('SELECT count(*) FROM events').pluck().get()
  } finally {
    db.close()
  }
}

/** Rollouts on this machine that are compared too. */
const elsewhere = process.env['ASPY_ROLLOUTS']
const compared = [
  ...folders.map((folder) => [folder, join(FIXTURES, folder)] as const),
  ...(elsewhere === undefined ? [] : [['elsewhere', elsewhere] as const]),
]

test.each(few(compared, 2))(
  '%s: the store holds what a reader without any code of the product counts',
  async (_, path) => {
    const db = await importInto(temporaryFolder(), [path])
    expect(inOrder(recordedRollouts(db))).toEqual(inOrder(countRollouts(path)))
  },
)

test('a second import, compressed files and moved ones add nothing', async () => {
  for (const folder of few(folders, 1)) {
    const path = join(temporaryFolder(), '.codex')
    cpSync(join(FIXTURES, folder), path, { recursive: true })
    const dataDir = temporaryFolder()
    const db = await importInto(dataDir, [path])
    const before = countEvents(db)
    for (const file of globSync('**/*.jsonl', { cwd: path })) {
      writeFileSync(join(path, `${file}.zst`), zstdCompressSync(readFileSync(join(path, file))))
      rmSync(join(path, file))
    }
    await importInto(dataDir, [path])
    expect(countEvents(db), folder).toBe(before)
    cpSync(join(path, 'sessions'), join(path, 'archived_sessions'), { recursive: true })
    await importInto(dataDir, [join(path, 'archived_sessions')])
    expect(countEvents(db), folder).toBe(before)
  }
})

test('compressed rollouts alone give what the plain ones give', async () => {
  const path = join(temporaryFolder(), '.codex')
  cpSync(FIXTURES, path, { recursive: true })
  for (const file of globSync('**/*.jsonl', { cwd: path })) {
    writeFileSync(join(path, `${file}.zst`), zstdCompressSync(readFileSync(join(path, file))))
    rmSync(join(path, file))
  }
  const db = await importInto(temporaryFolder(), [path])
  expect(inOrder(recordedRollouts(db))).toEqual(inOrder(countRollouts(FIXTURES)))
})

test.each(few(['codex-0.169', 'events-0.104'], 1))(
  '%s: forks and subagents that are read before their originals change nothing',
  async (folder) => {
    const path = join(FIXTURES, folder)
    const files = globSync('**/*.jsonl', { cwd: path }).toSorted().toReversed()
    const db = await importInto(
      temporaryFolder(),
      files.map((file) => join(path, file)),
    )
    expect(inOrder(recordedRollouts(db))).toEqual(inOrder(countRollouts(path)))
  },
)

test('a fork is linked to its original, whether it copies or names it', async () => {
  for (const folder of ['codex-0.169', 'events-0.104']) {
    const db = new Database(await importInto(temporaryFolder(), [join(FIXTURES, folder)]), { readonly: true })
    const links = db.prepare('SELECT kind, count(*) AS links FROM session_links GROUP BY kind').all()
    db.close()
    expect(links, folder).toEqual([{ kind: 'forked_from', links: 1 }])
  }
})

test('nothing links to a deleted session, before a rebuild or after it', async () => {
  const dataDir = temporaryFolder()
  await importInto(dataDir, [join(FIXTURES, 'codex-0.169'), join(FIXTURES, 'events-0.104')])
  const { store, dbPath } = openTestStore({ dataDir })
  const originals = () =>
    readStore(dbPath, (db) =>
      db.prepare<[], string>('SELECT other_session_id FROM session_links ORDER BY 1').pluck().all(),
    )
  const [gone = '', kept] = originals()
  store.removal.deleteSession(gone)
  expect(originals()).toEqual([kept])
  for (const _ of store.maintenance.rebuild());
  expect(originals()).toEqual([kept])
  store.removal.deleteSession(kept ?? '')
  for (const _ of store.maintenance.rebuild());
  expect(originals()).toEqual([])
})

test('a rollout that is one object is read again each time it is rewritten, whole or renamed; cut, it is refused', async () => {
  const [original = ''] = globSync('document-0.1/**/*.json', { cwd: FIXTURES })
  const whole = readFileSync(join(FIXTURES, original), 'utf8')
  const { session, items } = JSON.parse(whole) as { session: object; items: unknown[] }
  const [folder, dataDir] = [temporaryFolder(), temporaryFolder()]
  const path = join(folder, basename(original))
  const savedAt = (minute: number, until: number) =>
    JSON.stringify(
      { session: { ...session, timestamp: `2025-04-28T09:0${minute}:00.000Z` }, items: items.slice(0, until) },
      null,
      2,
    )
  const importing = async (text: string, as = path) => {
    writeFileSync(as, text)
    return inOrder(recordedRollouts(await importInto(dataDir, [as])))
  }
  // The time of the first item is that of the first version that has it.
  await importing(savedAt(1, 4))
  const first = await importing(savedAt(2, 9))
  expect(await importing(savedAt(3, 11).slice(0, -20))).toEqual(first)
  await importing(whole)
  const times = new Database(join(dataDir, 'lifestats.db'), { readonly: true })
  const began = times.prepare('SELECT DISTINCT ts_wall FROM events ORDER BY 1').pluck().all()
  times.close()
  const again = await importing(whole, join(folder, 'a copy.txt'))
  expect(began).toEqual(['2025-04-28T09:01:00.000Z', '2025-04-28T09:02:00.000Z', '2025-04-28T09:15:42.513Z'])
  expect(again).toEqual(inOrder(countRollouts(join(FIXTURES, 'document-0.1'))))
})

test('a compressed rollout that is cut in the middle gives what comes before, and all of it once it is whole', async () => {
  const [source = ''] = globSync('codex-0.169/**/*d5ef*.jsonl', { cwd: FIXTURES })
  const text = readFileSync(join(FIXTURES, source))
  const half = text.length / 2
  const whole = Buffer.concat([zstdCompressSync(text.subarray(0, half)), zstdCompressSync(text.subarray(half))])
  const [dataDir, path] = [temporaryFolder(), join(temporaryFolder(), `${basename(source)}.zst`)]
  writeFileSync(path, whole.subarray(0, whole.length * 0.9))
  const before = countEvents(await importInto(dataDir, [path]))
  writeFileSync(path, whole)
  const db = await importInto(dataDir, [path])
  expect(before).toBeGreaterThan(5)
  const alone = await importInto(temporaryFolder(), [join(FIXTURES, source)])
  expect(inOrder(recordedRollouts(db))).toEqual(inOrder(recordedRollouts(alone)))
})

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { claimFolder } from '../../../src/main/app-traffic.ts'
import { hasForeignLog, setForeignLogAside } from '../../../src/main/base/foreign-log.ts'
import { quickCheck } from '../../../src/main/store/read/quick-check.ts'
import { keptCopies } from '../../../src/main/store/transfer/kept-copies.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { few, runs } from '../../support/runner/heavy.ts'
import { openTestStore, temporaryFolder } from '../../support/store/folder.ts'
import { promptFact, seeded } from '../../support/store/history.ts'

const STEPS = runs(120, 2000)
const LOG = '-wal'

/** Copies a database and its log as a kill leaves them. */
function killed(dbPath: string): string {
  const path = join(temporaryFolder(), 'lifestats.db')
  for (const part of ['', LOG]) if (existsSync(dbPath + part)) copyFileSync(dbPath + part, path + part)
  return path
}

type Opened = ReturnType<typeof openTestStore>
let asked = 0
function ask({ store }: Opened, count: number): void {
  for (let turn = 0; turn < count; turn += 1) {
    asked += 1
    store.ingest.append(promptFact('s', `p${asked}`, 'many words '.repeat(99), asked * 60_000).reports)
  }
}

/** Opens a store again and again; returns copies of it, each as if a kill had ended that time. */
function killedStates(count: number): readonly string[] {
  const dataDir = temporaryFolder()
  return Array.from({ length: count }, () => {
    const opened = openTestStore({ dataDir })
    ask(opened, 20)
    const state = killed(opened.dbPath)
    opened.store.close()
    return state
  })
}

test('the log of a store is taken as its own, whatever was written, moved and rewritten', () => {
  const random = seeded(71)
  const dataDir = temporaryFolder()
  let opened = openTestStore({ dataDir })
  const { dbPath } = opened
  const inOther = (sql: string) => () => {
    const db = new Database(dbPath)
    db.exec(sql)
    db.close()
  }
  const reopen = () => {
    opened.store.close()
    opened = openTestStore({ dataDir })
  }
  const write = () => ask(opened, 1 + Math.floor(random() * 5))
  const works: readonly (() => void)[] = [
    write,
    write,
    write,
    reopen,
    () => opened.store.maintenance.checkpoint(),
    inOther('PRAGMA wal_checkpoint(PASSIVE)'),
    inOther('PRAGMA wal_checkpoint(RESTART)'),
    inOther('PRAGMA wal_checkpoint(TRUNCATE)'),
    inOther('VACUUM'),
    inOther('CREATE TABLE IF NOT EXISTS more (a)'),
    inOther('DROP TABLE IF EXISTS more'),
  ]
  const wrong: string[] = []
  for (let step = 0; step < STEPS; step += 1) {
    const at = Math.floor(random() * works.length)
    works[at]?.()
    if (hasForeignLog(killed(dbPath))) wrong.push(`step ${step}: ${works[at]}`)
  }
  expect(wrong).toEqual([])
})

const MIXES: readonly [string, (state: string, other: string, states: readonly string[]) => void][] = [
  ['the log of another store', (state, other) => copyFileSync(other + LOG, state + LOG)],
  ["another store's file", (state, other) => copyFileSync(other, state)],
  ['an older copy of the file', (state, _, [, old = '']) => copyFileSync(old, state)],
  ['an older log', (state, _, [, old = '']) => copyFileSync(old + LOG, state + LOG)],
]

test.each(few(MIXES, 2))('%s beside what is left is noticed, and the file is not changed', async (_, mix) => {
  const [state = '', ...before] = killedStates(4).toReversed()
  const [other = ''] = killedStates(2).toReversed()
  expect([hasForeignLog(state), hasForeignLog(other)]).toEqual([false, false])
  mix(state, other, before.toReversed())
  expect(hasForeignLog(state)).toBe(true)
  const folder = dirname(state)
  const log = readFileSync(state + LOG)
  setForeignLogAside(state)
  // Whatever reads the file refuses it, as the writer does.
  const fault = 'its write-ahead log is that of another database'
  expect(quickCheck(state).fault).toContain(fault)
  const { stderr } = await aspyHere(['sessions', '--data', folder])
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(fault)
  expect(() => openTestStore({ dataDir: folder })).toThrow(fault)
  const [{ files = [] } = {}] = keptCopies(state)
  expect(files.map((file) => readFileSync(file))).toEqual([log])
})

test('a start goes on if such a log cannot be set aside, and the writer refuses the file', async () => {
  const [state = ''] = killedStates(2).toReversed()
  const [other = ''] = killedStates(2).toReversed()
  copyFileSync(other + LOG, state + LOG)
  mkdirSync(`${state}.damaged-log`)
  const warned: unknown[] = []
  const logger = pino({ level: 'warn' }, { write: (line) => void warned.push(JSON.parse(line)) })
  expect(await claimFolder({ dataDir: dirname(state), logger }, state)).toMatchObject({ wasUnclean: false })
  expect(warned).toMatchObject([{ err: { code: 'EISDIR' } }])
  expect(() => openTestStore({ dataDir: dirname(state) })).toThrow('its write-ahead log is that of another database')
})

test.each([
  ['a bit of its id', 70, [1]],
  ['its id', 68, [0, 0, 0, 0]],
  ['its count of changes', 24, [255, 255]],
  ['all of it', 0, Array<number>(100).fill(0)],
])('a damaged header, of which %s is lost, says nothing of the log', (_, at, bytes) => {
  const state = killedStates(2).at(-1) ?? ''
  const file = readFileSync(state)
  const before = file.toString('hex')
  file.set(bytes, at)
  expect(file.toString('hex')).not.toBe(before)
  writeFileSync(state, file)
  expect(hasForeignLog(state)).toBe(false)
})

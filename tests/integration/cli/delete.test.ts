import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { onTerminal, SCRIPT } from '../../support/app/on-terminal.ts'
import { LONG, surfaceHistory } from '../../support/app/surface-history.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { lacks } from '../../support/runner/lacks.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

const deleteOnTerminal = (dataDir: string, answer: string) =>
  onTerminal(['delete', 's-short-3', '--data', dataDir], answer)

function sessions(dataDir: string): number {
  const db = new Database(join(dataDir, 'lifestats.db'), { readonly: true })
  try {
    return Number(db.prepare('SELECT count(*) FROM sessions').pluck().get())
  } finally {
    db.close()
  }
}

heavily(test.skipIf(lacks(existsSync(SCRIPT))))(
  'on a terminal it says what goes and asks; only yes deletes',
  async () => {
    using folder = makeTempFolder()
    fillStore(folder.path, surfaceHistory())
    const copy = join(folder.path, 'lifestats.db.before-restore-2026-11-27T10-00-00-000Z')
    writeFileSync(copy, '')
    const refused = await deleteOnTerminal(folder.path, 'no')
    expect(refused).toMatch(/Delete 1 session, s-short-3.*, with 1 events? and [\d.]+ K?B permanently\? \[y\/N\]/)
    expect(refused.replaceAll(/\s+/g, ' ')).toContain(`copies, which Aspy kept, go with it: ${copy} Delete`)
    expect(refused).toContain('Nothing was deleted.')
    expect(await deleteOnTerminal(folder.path, '\u0003')).toContain('Nothing was deleted.')
    expect(sessions(folder.path)).toBe(12)
    expect(existsSync(copy)).toBe(true)
    const deleted = await deleteOnTerminal(folder.path, 'yes')
    expect(deleted).toContain('Deleted 1 event of session s-short-3 permanently.')
    expect([deleted.replaceAll(/\s+/g, ' ').includes(`Removed with it: ${copy}`), existsSync(copy)]).toEqual([
      true,
      false,
    ])
    expect(sessions(folder.path)).toBe(11)
  },
)

test('a session is deleted by eight characters of its id or more, or by all of a shorter one', async () => {
  using folder = makeTempFolder()
  fillStore(folder.path, surfaceHistory())
  const short = LONG.slice(0, 5)
  const refused = await aspyHere(['delete', short, '--yes', '--data', folder.path])
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining(`give eight characters or all of ${LONG}`),
  ])
  expect(sessions(folder.path)).toBe(12)
  // What is wrong with the id comes before what is missing.
  expect((await aspyHere(['delete', short, '--data', folder.path])).stderr).toBe(refused.stderr)
  expect((await aspyHere(['delete', 'nope', '--data', folder.path])).stderr).toContain('nope')
  const asked = await aspyHere(['delete', LONG, '--data', folder.path])
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('add --yes')])
  const { code, stdout } = await aspyHere(['delete', LONG, '--yes', '--data', folder.path])
  expect([code, stdout]).toEqual([0, expect.stringContaining(`of session ${LONG} permanently`)])
  expect(sessions(folder.path)).toBe(11)
})

const UUID = '0199c2d4-1111-4222-8333-444455556666'

test('it says which sessions quote the deleted one, and where its client keeps it', async () => {
  using folder = makeTempFolder()
  const prompt = (session_id: string) =>
    draftOf('user_prompt', { text: 'Which theme?' }, { at: '2026-11-01T10:00:00.000Z', session_id, keys: [session_id] })
  const told = (session_id: string, output: string) =>
    draftOf(
      'tool_result',
      { call_id: session_id, tool_name: 'mcp__aspy__aspy_recall_context', output, is_error: false, rejected: false },
      { at: '2026-11-01T10:00:01.000Z', session_id, keys: [`result:${session_id}`] },
    )
  const recalled = told('s-recalled', 'Session 0199c2d4 · app · turn 1\n> Which theme?')
  fillStore(folder.path, [prompt(UUID), prompt('s-fork'), prompt('s-other'), recalled, told('s-other', 'Nothing')])
  const db = new Database(join(folder.path, 'lifestats.db'))
  db.prepare("INSERT INTO session_links VALUES ('s-fork', 'forked_from', ?, '', '2026-11-01T10:00:00.000Z')").run(UUID)
  db.close()
  const project = join(folder.path, '.claude', 'projects', '-work-app')
  mkdirSync(project, { recursive: true })
  for (const name of [UUID, 'another']) writeFileSync(join(project, `${name}.jsonl`), '{}\n')
  const { code, stdout } = await aspyHere(['delete', UUID, '--yes', '--data', folder.path], { HOME: folder.path })
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(
      `\nQuoted in 2 sessions, which keep it: s-fork, s-recalled\nThe client's own transcript stays: ${join(project, `${UUID}.jsonl`)}\n`,
    ),
  ])
  expect(existsSync(join(project, `${UUID}.jsonl`))).toBe(true)
})

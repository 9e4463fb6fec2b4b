import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { aspyHere } from '../support/app/aspy-here.ts'
import { CCUSAGE_VERSIONS, countWithCcusage, fetchCcusage } from '../support/ccusage/ccusage.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { importInto } from '../support/transcripts/import-folder.ts'
import { few } from '../support/runner/heavy.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures/transcripts')
/** In these, the first line of a message has a placeholder, which version 18 counts; the export has the final figure. */
const WITH_PLACEHOLDERS = new Set(['typed-oddly', 'usage-repeated'])

function facts(path: string) {
  const db = new Database(path, { readonly: true })
  const rows = (sql: string) => db.prepare(sql).raw().all()
  const found = {
    // An image alone has no words: an export has no bytes of it, and names it on a line of the client's.
    prompts: rows("SELECT session_id, timestamp, content FROM user_prompts WHERE content <> '' ORDER BY 1, 2, 3"),
    usage: rows(
      `SELECT session_id, model, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, cost_usd FROM api_usage
       ORDER BY 1, 2, timestamp, 3, 4`,
    ),
    interruptions: rows(
      "SELECT session_id FROM events WHERE kind = 'state_change' AND payload LIKE '%\"interrupted\"%' ORDER BY 1",
    ),
    compactions: rows('SELECT session_id, content FROM compactions ORDER BY 1, 2'),
  }
  db.close()
  return found
}

test.each(few(['compaction', 'typed-oddly', 'interruptions', 'usage-repeated', 'agent-with-file', 'titles'], 2))(
  '%s: ccusage and a new import count in an export what they count in the original',
  { timeout: 300_000 },
  async (fixture) => {
    using original = makeTempFolder()
    using exported = makeTempFolder()
    using data = makeTempFolder()
    using other = makeTempFolder()
    mkdirSync(join(original.path, 'projects'))
    cpSync(join(FIXTURES, fixture), join(original.path, 'projects', 'p'), { recursive: true })
    const folder = join(exported.path, 'projects', 'p')
    mkdirSync(folder, { recursive: true })
    const db = await importInto(data.path, [join(original.path, 'projects')])
    const sessions = new Database(db, { readonly: true }).prepare('SELECT id FROM sessions').pluck().all() as string[]
    for (const id of sessions) {
      const { stdout } = await aspyHere(['export', '--session', id, '--format', 'claude', '--data', data.path])
      writeFileSync(join(folder, `${id}.jsonl`), stdout)
    }
    expect(readdirSync(folder)).toHaveLength(sessions.length)
    expect(facts(await importInto(other.path, [join(exported.path, 'projects')]))).toEqual(facts(db))
    for (const version of CCUSAGE_VERSIONS) {
      if (version === '18.0.11' && WITH_PLACEHOLDERS.has(fixture)) continue
      await fetchCcusage(version)
      const counted = await countWithCcusage(version, exported.path)
      expect(counted, version).toEqual(await countWithCcusage(version, original.path))
      expect([...counted.values()].some(({ tokens, cost }) => tokens > 0 && cost > 0)).toBe(true)
    }
  },
)

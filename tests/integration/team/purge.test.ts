import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorCode } from '../../../src/shared/error-text.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { batchOf, fullEvent, joinByHand, type TeamDevice } from '../../support/team/team-device.ts'
import { startTeam, type TeamWorld } from '../../support/team/team-world.ts'

const DOCS = join(import.meta.dirname, '../../../docs/team.md')

/** Words that PostgreSQL cannot compress, so that a scan of bytes finds each. */
const words = (n: number) => Array.from({ length: n }, () => `w${randomBytes(6).toString('hex')}`)

describe.skipIf(lacksPostgres)('a deleted session', () => {
  let team: TeamWorld
  let ann: TeamDevice
  let rita: TeamDevice
  const inIndex = words(40)
  const inContent = words(400)
  const secrets = [...inIndex, ...inContent.slice(0, 100), 'gone-for-good']

  beforeAll(async () => {
    team = await startTeam()
    ann = await joinByHand(team.url, await team.invite('ann'))
    rita = await joinByHand(team.url, await team.invite('rita', 'reader'))
    await team.sql('CREATE ROLE analyst LOGIN')
    await team.admin('sql-reader', 'analyst')
  })
  afterAll(() => team?.[Symbol.asyncDispose]())

  /** Returns the secrets that some file of the cluster holds. PostgreSQL removes and renames files as it likes. */
  function found(): string[] {
    for (;;) {
      try {
        return scan()
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error
      }
    }
  }

  function scan(): string[] {
    const data = join(team.postgres.folder, 'data')
    const left = new Set(secrets)
    for (const entry of readdirSync(data, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const bytes = readFileSync(join(entry.parentPath, entry.name))
      for (const secret of left) if (bytes.includes(secret)) left.delete(secret)
    }
    return secrets.filter((secret) => !left.has(secret))
  }

  test('is at once in no answer, no table, no index and no dump', async () => {
    const text = inIndex.join(' ')
    const long = inContent.join(' ')
    const hash = ann.ids.contentHash(long)
    const of = { session_id: 'gone-for-good' }
    const events = [
      fullEvent(ann, { ...of, text, payload: { text } }),
      fullEvent(ann, {
        ...of,
        seq: 1,
        kind: 'tool_result',
        payload: { output: { $content: hash } },
        contents: [hash],
        text: null,
      }),
      fullEvent(ann, { session_id: 'stays', text: 'what stays' }),
    ]
    const batch = batchOf(ann, events, { contents: [{ hash, content: long }] })
    expect((await ann.call('/team/v1/batches', batch)).body).toMatchObject({ stored: 3 })
    await rita.call('/api/sessions/gone-for-good/history')
    expect(await team.sql("SELECT count(*) FROM read_audit WHERE session_id = 'gone-for-good'")).toBe('1')
    // Statistics, a checkpoint and recycled WAL: bytes get into every kind of file.
    await team.sql('ANALYZE')
    for (let n = 0; n < 4; n += 1) {
      await team.sql("SELECT pg_logical_emit_message(false, 'test', 'x')")
      await team.sql('SELECT pg_switch_wal()')
      await team.sql('CHECKPOINT')
    }
    expect(found()).toEqual(secrets)

    const tombstones = [ann.ids.id('session', 'gone-for-good')]
    const deleted = batchOf(ann, [], { after: 4, up_to: 5, tombstones })
    expect((await ann.call('/team/v1/batches', deleted)).status).toBe(200)
    const [word = ''] = inIndex
    expect((await rita.call('/api/recall.search', { query: word })).body).toMatchObject({ total: 0 })
    expect((await rita.call('/api/sessions/gone-for-good')).status).toBe(404)
    expect((await rita.call('/api/events.recent', {})).body).toMatchObject({ items: [{ session_id: 'stays' }] })
    for (const sql of [
      `SELECT count(*) FROM texts WHERE words @@ to_tsquery('english', '${word}')`,
      "SELECT count(*) FROM events WHERE session_id = 'gone-for-good'",
      "SELECT count(*) FROM session_events WHERE instance_id = 'gone-for-good'",
      `SELECT count(*) FROM contents WHERE content LIKE '%${inContent[0]}%'`,
      "SELECT count(*) FROM get_recent_events('gone-for-good')",
    ])
      expect(await team.sql(`SET enable_seqscan = off; ${sql}`, 'analyst'), sql).toBe('0')
    const dump = await team.postgres.program('pg_dump', [team.database])
    expect(secrets.filter((secret) => dump.includes(secret))).toEqual([])
    expect(dump).toContain('what stays')
    expect(await team.sql("SELECT session_id, operation FROM read_audit WHERE session_id <> 'stays'")).toBe(
      'deleted|sessions.history',
    )
  })

  test('is in no file of the cluster after the documented erasure', async () => {
    const docs = readFileSync(DOCS, 'utf8')
    const script = /### Erase deleted data[\s\S]*?```sql\n([\s\S]*?)```/.exec(docs)?.[1] ?? ''
    expect(script).toContain('VACUUM (FULL)')
    expect(found()).not.toEqual([])
    using folder = makeTempFolder()
    const file = join(folder.path, 'erase.sql')
    writeFileSync(file, script)
    await team.postgres.program('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', team.database, '-f', file])
    expect(found()).toEqual([])
    expect(await team.sql("SELECT count(*) FROM texts WHERE words @@ to_tsquery('english', 'stays')")).toBe('1')
    expect(await team.sql('SHOW wal_recycle')).toBe('on')
    expect((await ann.call('/api/sessions/stays')).status).toBe(200)
  })

  test('that was withdrawn does not come back with a batch that was under way', async () => {
    const bob = await joinByHand(team.url, await team.invite('bob'))
    const event = (seq: number) => fullEvent(bob, { session_id: 'withdrawn', seq, position: seq })
    const count = () => team.sql("SELECT count(*) FROM events WHERE session_id = 'withdrawn'")
    expect((await bob.call('/team/v1/batches', batchOf(bob, [event(1)]))).status).toBe(200)
    const key = bob.ids.id('session', 'withdrawn')
    expect((await bob.call('/team/v1/withdraw', { sessions: [key] })).body).toEqual({ events: 1 })
    const late = batchOf(bob, [event(2)], { after: 2, up_to: 3 })
    expect((await bob.call('/team/v1/batches', late)).status).toBe(409)
    expect(await count()).toBe('0')
    // The device asks how far it is, and starts over in a later epoch.
    expect((await bob.call('/team/v1/target')).body).toMatchObject({ positions: [{ epoch: 1, position: 0 }] })
    expect((await bob.call('/team/v1/batches', batchOf(bob, [event(3)], { epoch: 2 }))).status).toBe(200)
    expect(await count()).toBe('1')
  })
})

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { StoredRequest, Json, JsonObject } from '../../../src/shared/event.ts'
import { loadHashKey } from '../../../src/main/base/hash-key.ts'
import { withoutMedia } from '../../../src/main/recorder/thread/capture/media.ts'
import { restoreRequest } from '../../../src/main/requests/restore-request.ts'
import { createRedactor } from '../../../src/main/redaction/create-redactor.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { contentReader } from '../../../src/main/store/log/contents.ts'
import { unpackPayload } from '../../../src/main/store/log/payload.ts'
import { heavily, runs } from '../../support/runner/heavy.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { pass, startRecorder, until, type RecorderUnderTest } from '../../support/recorder/harness.ts'

let folder: TempFolder
let under: RecorderUnderTest
beforeEach(async () => {
  folder = makeTempFolder()
  under = await startRecorder(folder.path)
})
afterEach(async () => {
  await under.stop()
  folder.remove()
})

const database = () => join(folder.path, 'lifestats.db')

function rebuild(uuids: readonly string[]): JsonObject[] {
  const db = openReader(database())
  try {
    const getContent = contentReader(db)
    const payload = db.prepare<[string], string>('SELECT payload FROM events WHERE uuid = ?').pluck()
    const storedRequest = (uuid: string) => {
      const json = payload.get(uuid)
      return json === undefined ? null : (unpackPayload(json, getContent)['request'] as unknown as StoredRequest)
    }
    return uuids.map((uuid) => restoreRequest({ storedRequest, getContent }, uuid))
  } finally {
    db.close()
  }
}

function redacted(body: JsonObject): Json {
  const redactor = createRedactor({ hashKey: loadHashKey(folder.path), enabled: true })
  return redactor.json(withoutMedia(body, redactor))
}

const secret = `sk-ant-api03-${'Ab1'.repeat(31)}AA`
const image = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: Buffer.alloc(3000, 7).toString('base64') },
}

/** The bodies of a session of this many turns, its history growing, its cache mark moving. */
function bodiesOf(turns: number): JsonObject[] {
  const history: JsonObject[] = []
  return Array.from({ length: turns }, (_, turn) => {
    const text = { type: 'text', text: `turn ${turn}: ${'words '.repeat(300)}${turn % 10 === 3 ? secret : ''}` }
    const content = turn % 10 === 5 ? [image, text] : [text]
    history.push({ role: 'user', content })
    const marked = history.map((message, at) =>
      at === history.length - 1
        ? { ...message, content: content.map((block) => ({ ...block, cache_control: { type: 'ephemeral' } })) }
        : message,
    )
    const body = {
      model: 'claude-sonnet-4-5',
      max_tokens: 32_000,
      stream: true,
      metadata: { user_id: 'user_abc_account_def_session_ghi' },
      thinking: { type: 'adaptive', display: 'omitted' },
      system: [{ type: 'text', text: 'You are Claude Code.', cache_control: { type: 'ephemeral' } }],
      tools: Array.from({ length: 20 }, (_, tool) => ({ name: `Tool${tool}`, description: 'does things '.repeat(20) })),
      messages: marked,
    }
    history.push({ role: 'assistant', content: [{ type: 'text', text: `answer ${turn}` }] })
    return body
  })
}

const send = async (bodies: readonly JsonObject[]) => {
  const uuids: string[] = []
  for (const [turn, body] of bodies.entries()) {
    uuids.push(
      await pass(under.tap, {
        session: 's',
        body,
        answer: { messageId: `m${turn}`, steps: [{ text: `answer ${turn}` }] },
      }),
    )
  }
  return uuids
}

test('every request of a long session is restored as it was sent, and takes only the space of what it adds', async () => {
  const bodies = bodiesOf(runs(60, 120))
  const uuids = await send(bodies)
  await under.settled()
  expect(rebuild(uuids)).toEqual(bodies.map(redacted))

  const db = new Database(database(), { readonly: true })
  const stored = db.prepare<[], number>('SELECT sum(length(data)) FROM contents').pluck().get() ?? 0
  const rowsBytes =
    db.prepare<[], number>("SELECT sum(length(payload)) FROM events WHERE kind = 'model_request'").pluck().get() ?? 0
  const images = db.prepare<[], number>("SELECT count(*) FROM contents WHERE instr(data, 'BwcHBwcH') > 0").pluck().get()
  db.close()
  expect(stored + rowsBytes).toBeLessThan(JSON.stringify(bodies.at(-1)).length)
  expect(images).toBe(0)
})

heavily(test)('requests that went through the spool are restored too', async () => {
  const bodies = bodiesOf(12)
  const before = await send(bodies.slice(0, 4))
  await under.settled()
  const holder = new Database(database())
  holder.exec('BEGIN IMMEDIATE')
  const during = await send(bodies.slice(4, 8))
  await under.settled()
  holder.exec('ROLLBACK')
  holder.close()
  await until(() => under.health().state === 'running')
  const after = await send(bodies.slice(8))
  await under.settled()
  expect(rebuild([...before, ...during, ...after])).toEqual(bodies.map(redacted))
})

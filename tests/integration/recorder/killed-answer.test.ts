import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startKept } from '../../support/keeper/kept-app.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { readStore } from '../../support/store/folder.ts'
import { secretsIn } from '../../support/store/byte-scan.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

/** An app that is killed while answers arrive records what had arrived, and that it was the one who stopped. */

const SECRET_HALF = 'sk-ant-api03-Zq8'

/** Holds two answers; a second attempt of the test needs one of its own. */
const holdingUpstream = (): Promise<MessagesUpstream> =>
  startMessagesUpstream(({ body }) => {
    const prompt = lastUserText(body)
    if (prompt === 'whole') return { steps: [{ text: 'All of it.' }] }
    if (prompt === 'silent') return { steps: [{ hold: prompt }, { text: 'late' }] }
    return {
      steps: [
        { thinking: 'I think first.' },
        { text: `The beginning. ${SECRET_HALF}` },
        { hold: prompt },
        { text: 'end' },
      ],
      usage: { input_tokens: 4321, output_tokens: 7 },
    }
  })

interface Row {
  readonly kind: string
  readonly payload: string
}

test('what had arrived of an answer when Aspy was killed is recorded after the next start, without an unfinished secret', async () => {
  using folder = makeTempFolder('aspy-killed-')
  const dbPath = join(folder.path, 'lifestats.db')
  await using upstream = await holdingUpstream()
  await using kept = await startKept(folder.path, upstream.url)
  await (await ask(kept.proxy, { prompt: 'whole', session: 's-1' })).text()
  const cut = ['held', 'silent'].map((prompt) =>
    ask(kept.proxy, { prompt, session: `s-${prompt}` })
      .then((response) => response.text())
      .catch(() => 'cut'),
  )
  await Promise.all(['held', 'silent'].map((prompt) => upstream.held(prompt)))
  const unfinished = () =>
    readStore(dbPath, (db) =>
      db
        .prepare<[], { session_id: string; drafts: string }>('SELECT session_id, drafts FROM answers_in_progress')
        .all(),
    )
  await until('both answers are kept', () =>
    Promise.resolve(unfinished().length === 2 && unfinished().some(({ drafts }) => drafts.includes('The beginning.'))),
  )
  // An answer is noted before its request is stored; without its request it is forgotten.
  const stored = () =>
    readStore(dbPath, (db) =>
      db
        .prepare<[], { n: number }>(
          `SELECT count(*) AS n FROM events WHERE kind = 'model_request' AND session_id IN ('s-held', 's-silent')`,
        )
        .get(),
    )
  await until('both requests are stored', () => Promise.resolve(stored()?.n === 2))
  const killed = kept.signal('SIGKILL')
  for (const prompt of ['held', 'silent']) upstream.release(prompt)
  await Promise.all(cut)
  expect(secretsIn(folder.path, [SECRET_HALF])).toEqual([])

  await kept.nextApp(killed)
  const rowsOf = (session: string) =>
    readStore(dbPath, (db) =>
      db
        .prepare<[string], Row>('SELECT kind, payload FROM events WHERE session_id = ? ORDER BY id')
        .all(session)
        .map(({ kind, payload }) => ({ kind, payload: JSON.parse(payload) as Record<string, unknown> })),
    )
  const kindsOf = (session: string) => rowsOf(session).map(({ kind }) => kind)
  await until('the interrupted answers are recorded', () =>
    Promise.resolve(['s-held', 's-silent'].every((session) => kindsOf(session).includes('error'))),
  )
  expect(unfinished()).toEqual([])
  const held = rowsOf('s-held')
  const payloadOf = (kind: string) => held.find((row) => row.kind === kind)?.payload
  expect(payloadOf('thinking')).toMatchObject({ text: 'I think first.' })
  expect(payloadOf('assistant_text')?.['text']).toMatch(/^The beginning\./)
  expect(payloadOf('api_usage')).toBeDefined()
  expect(payloadOf('model_response')).toMatchObject({ cut_by: 'aspy', status: 200 })
  expect(payloadOf('error')).toMatchObject({ origin: 'capture', message: 'Interrupted: Aspy stopped' })
  expect(payloadOf('turn_ended')).toBeUndefined()
  expect(rowsOf('s-silent').find(({ kind }) => kind === 'model_response')?.payload).toMatchObject({ cut_by: 'aspy' })
  expect(kindsOf('s-1').filter((kind) => kind === 'error')).toEqual([])
  expect(secretsIn(folder.path, [SECRET_HALF])).toEqual([])

  // The client's repetition is recorded beside it, and a second start adds nothing.
  await (await ask(kept.proxy, { prompt: 'whole', session: 's-held' })).text()
  await until('the repetition is recorded', () =>
    Promise.resolve(kindsOf('s-held').filter((kind) => kind === 'model_response').length === 2),
  )
  expect(unfinished()).toEqual([])
})

heavily(test)('a request that waited in the spool when Aspy was killed has an end after the next start', async () => {
  using folder = makeTempFolder('aspy-killed-')
  const dbPath = join(folder.path, 'lifestats.db')
  const spool = join(folder.path, 'spool.jsonl')
  await using upstream = await holdingUpstream()
  await using kept = await startKept(folder.path, upstream.url)
  await (await ask(kept.proxy, { prompt: 'whole', session: 's-1' })).text()
  const holder = new Database(dbPath)
  holder.exec('BEGIN IMMEDIATE')
  const cut = ask(kept.proxy, { prompt: 'silent', session: 's-silent' })
    .then((response) => response.text())
    .catch(() => 'cut')
  await (await ask(kept.proxy, { prompt: 'whole', session: 's-whole' })).text()
  const spooled = () => (existsSync(spool) ? readFileSync(spool, 'utf8') : '')
  await until('both wait in the spool', () =>
    Promise.resolve(['s-silent', 's-whole'].every((name) => spooled().includes(`"session_id":"${name}"`))),
  )
  // That of the first request may have waited for the holder, too.
  const isItsAnswer = (line: string) => line.includes('"kind":"model_response"') && line.includes('"s-whole"')
  await until('one has its answer', () => Promise.resolve(spooled().split('\n').some(isItsAnswer)))
  const killed = kept.signal('SIGKILL')
  await cut
  holder.exec('ROLLBACK')
  holder.close()
  await kept.nextApp(killed)
  const ends = (session: string) =>
    readStore(dbPath, (db) =>
      db
        .prepare<[string], string | null>(
          `SELECT payload ->> 'cut_by' FROM events WHERE session_id = ? AND kind = 'model_response'`,
        )
        .pluck()
        .all(session),
    )
  // The spool is removed after what it held is stored.
  await expect.poll(() => [ends('s-silent'), ends('s-whole'), existsSync(spool)]).toEqual([['aspy'], [null], false])
})

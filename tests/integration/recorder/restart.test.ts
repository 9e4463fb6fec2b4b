import { afterEach, beforeEach, expect, test } from 'vitest'
import { heavily, runs } from '../../support/runner/heavy.ts'
import { NONE } from '../../support/runner/none.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { contentReader } from '../../../src/main/store/log/contents.ts'
import { unpackPayload } from '../../../src/main/store/log/payload.ts'
import { countKinds, hookBytes, look, pass, pause, rows, startRecorder, until } from '../../support/recorder/harness.ts'
import type { RecorderUnderTest, SentExchange } from '../../support/recorder/harness.ts'

let folder: TempFolder
let under: RecorderUnderTest | null = null
beforeEach(() => {
  folder = makeTempFolder()
})
afterEach(async () => {
  await under?.stop()
  under = null
  folder.remove()
})

/** Drafts of n exchanges, each in a separate session, the last turn with a tool. */
function exchangesOf(session: string, turns: number): SentExchange[] {
  const messages: { role: 'user' | 'assistant'; content: object[] }[] = []
  return Array.from({ length: turns }, (_, turn) => {
    messages.push({ role: 'user', content: [{ type: 'text', text: `${session} asks ${turn}` }] })
    const sent: SentExchange = {
      session,
      messages: [...messages],
      answer: { messageId: `msg_${session}_${turn}`, steps: [{ thinking: `t ${turn}` }, { text: `answer ${turn}` }] },
    }
    messages.push({ role: 'assistant', content: [{ type: 'text', text: `answer ${turn}` }] })
    return sent
  })
}

test('killed at random moments, it loses nothing and stores nothing twice', async () => {
  under = await startRecorder(folder.path)
  const { tap, recorder } = under
  const sessions = ['a', 'b', 'c']
  const turns = new Map<string, number>()
  let kills = 0
  const most = runs(2, 20)
  const killer = (async () => {
    for (let last = 0; kills < most; last = tap.stats().acknowledged) {
      // Something is acknowledged in between: the tap gives up what outlives recorder after recorder.
      await until(() => recorder.health().state === 'running' && tap.stats().acknowledged > last)
      await pause(Math.random() * 200)
      await recorder.restart()
      kills += 1
    }
  })()
  await Promise.all(
    sessions.map(async (session) => {
      for (const [turn, sent] of exchangesOf(session, 200).entries()) {
        if (kills === most) break
        await pass(tap, { ...sent, pieceBytes: 150, between: () => pause(Math.random() * 20) })
        recorder.hook(
          hookBytes({ session_id: session, hook_event_name: 'Notification', message: `${session} note ${turn}` }),
        )
        turns.set(session, turn + 1)
      }
    }),
  )
  await killer
  await under.settled()

  expect(under.tap.stats().dropped).toEqual({})
  expect(under.health()).toMatchObject({ restarts: most, dropped: NONE })
  for (const session of sessions) {
    const count = turns.get(session)
    expect(countKinds(folder.path, session)).toEqual({
      user_prompt: count,
      model_request: count,
      thinking: count,
      assistant_text: count,
      api_usage: count,
      model_response: count,
      turn_ended: count,
      notification: count,
    })
  }
  const all = [...turns.values()].reduce((sum, count) => sum + count)
  const usage = look(folder.path, (db) => db.prepare('SELECT count(*) AS count FROM api_usage').get())
  expect(usage).toEqual({ count: all })
})

const misbehaving = new URL('../../support/recorder/misbehaving-thread.ts', import.meta.url)

test('an exchange that crashes every recorder is given up and counted; the others are recorded', async () => {
  under = await startRecorder(folder.path, { entry: misbehaving })
  await pass(under.tap, { session: 'first' })
  await pass(under.tap, { session: 'deadly', path: '/v1/messages?deadly' })
  await pass(under.tap, { session: 'last' })
  await under.settled()
  expect(under.health()).toMatchObject({ restarts: 3, dropped: { recorder_failed: 1 } })
  expect(under.tap.stats().dropped).toEqual({})
  expect(countKinds(folder.path, 'first')).toEqual(countKinds(folder.path, 'last'))
  expect(countKinds(folder.path, 'last')).toMatchObject({ user_prompt: 1, model_response: 1 })
})

test('a recorder that hangs is terminated, and the next one continues', async () => {
  under = await startRecorder(folder.path, { entry: misbehaving, timing: { hangMs: 1200 } })
  await pass(under.tap, { session: 'hanging', path: '/v1/messages?endless' })
  await pass(under.tap, { session: 'last' })
  await under.settled()
  expect(under.health()).toMatchObject({ dropped: { recorder_failed: 1 } })
  // Where the machine has no time for it, one that does not hang may look as if it did.
  expect(under.health().restarts).toBeGreaterThanOrEqual(3)
  expect(countKinds(folder.path, 'last')).toMatchObject({ user_prompt: 1, model_response: 1 })
})

test('a recorder that stalls but sends heartbeats loses nothing and is not terminated', async () => {
  const stalledMs = runs(1500, 30_000)
  under = await startRecorder(folder.path, { entry: misbehaving, timing: { hangMs: 10 * stalledMs } })
  await pass(under.tap, { session: 'stalling', path: `/v1/messages?stalled=${stalledMs}` })
  for (let at = 0; at < 20; at += 1) await pass(under.tap, { session: `s${at}` })
  expect(under.tap.stats()).toMatchObject({ seen: 21, dropped: NONE })
  await expect.poll(() => under?.tap.stats().acknowledged, { timeout: stalledMs + 60_000 }).toBe(21)
  expect(under.health()).toMatchObject({ restarts: 0, dropped: NONE })
  expect(countKinds(folder.path, 's19')).toMatchObject({ user_prompt: 1, model_response: 1 })
})

heavily(test)('a recorder that announces an absence is not terminated', async () => {
  under = await startRecorder(folder.path, { entry: misbehaving, timing: { hangMs: 5000 } })
  await pass(under.tap, { session: 'away', path: '/v1/messages?away=6000' })
  await pass(under.tap, { session: 'last' })
  await under.settled()
  expect(under.health()).toMatchObject({ restarts: 0, dropped: NONE })
  expect(countKinds(folder.path, 'last')).toMatchObject({ user_prompt: 1, model_response: 1 })
})

test('if no recorder can start, the tap stays bounded, counts its drops, and the state is visible', async () => {
  const entry = new URL('no-such-thread.ts', import.meta.url)
  under = await startRecorder(folder.path, { entry, atOnce: true, maxQueueBytes: 20_000 })
  await until(() => under?.health().state === 'failed')
  for (let at = 0; at < 20; at++) await pass(under.tap, { session: `s${at}` })
  expect(under.tap.stats().dropped['queue_full']).toBeGreaterThan(0)
  expect(under.tap.stats().queue_bytes).toBeLessThanOrEqual(20_000)
  await expect(under.recorder.call('events.post', {})).rejects.toMatchObject({ code: 'store_unavailable' })
})

test('hooks that were posted before a kill are recorded after it', async () => {
  under = await startRecorder(folder.path)
  for (let at = 0; at < 20; at++) {
    const prompt_id = `p${at}`
    under.recorder.hook(
      hookBytes({ session_id: 's', hook_event_name: 'UserPromptSubmit', prompt: `same words`, prompt_id }),
    )
    if (at === 10) await under.recorder.restart()
  }
  await under.settled()
  expect(under.health().restarts).toBe(1)
  expect(countKinds(folder.path)['user_prompt']).toBe(20)
})

test('a call that was running when it died is refused, and the next one is answered', async () => {
  under = await startRecorder(folder.path)
  const lost = under.recorder.call('events.post', { session_id: 's', kind: 'notification', payload: { text: 'a' } })
  const refused = expect(lost).rejects.toMatchObject({ code: 'store_unavailable' })
  await under.recorder.restart()
  await refused
  await until(() => under?.health().state === 'running')
  await under.recorder.call('events.post', { session_id: 's', kind: 'notification', payload: { text: 'b' } })
  expect(rows(folder.path).some((row) => row.payload.includes('"b"'))).toBe(true)
})

test('stopping commits everything received', async () => {
  under = await startRecorder(folder.path)
  for (const sent of exchangesOf('s', 5)) await pass(under.tap, sent)
  under.tap.flush()
  await under.stop()
  under = null
  expect(countKinds(folder.path)).toMatchObject({ user_prompt: 5, model_response: 5 })
})

test('a second start continues the conversation of the first', async () => {
  const [one, two] = exchangesOf('s', 2)
  if (!one || !two) throw new Error('two were made')
  under = await startRecorder(folder.path)
  await pass(under.tap, one)
  await under.settled()
  await under.stop()
  under = await startRecorder(folder.path)
  await pass(under.tap, two)
  await under.settled()
  expect(countKinds(folder.path)).toMatchObject({ user_prompt: 2, assistant_text: 2, model_request: 2 })
  const requests = rows(folder.path).filter((row) => row.kind === 'model_request')
  const second = look(folder.path, (db) => unpackPayload(requests[1]?.payload ?? '{}', contentReader(db)))
  expect(JSON.stringify(second)).toContain(requests[0]?.uuid ?? 'no request')
})

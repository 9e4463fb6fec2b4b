import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { heldMegabytes } from '../../support/runner/held-memory.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { commonFields } from '../../support/store/history.ts'

const EVENTS = 60
const CHARACTERS = 400_000

const longNote = (at: number): AnyDraft => ({
  ...commonFields('transcript', 's', at * 1000),
  kind: 'notification',
  payload: { text: `${at} ${'of a long note '.repeat(CHARACTERS / 15)}` },
  keys: [`note:${at}`],
  parents: at === 0 ? [] : [`note:${at - 1}`],
})

test('an open store keeps the keys of the newest events in memory, and not what the events say', async () => {
  const { store } = openTestStore()
  store.ingest.append([longNote(-1)])
  const megabytes = await heldMegabytes(() => {
    for (let at = 0; at < EVENTS; at += 1) store.ingest.append([longNote(at)])
  })
  expect(megabytes).toBeLessThan((EVENTS * CHARACTERS) / 1024 / 1024 / 4)
})

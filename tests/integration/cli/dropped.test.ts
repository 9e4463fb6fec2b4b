import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

let clock = Date.parse('2026-10-01T08:00:00Z')
const more = (uuid: string) => ({ at: new Date((clock += 60_000)).toISOString(), uuid, keys: [uuid] })
const prompt = (uuid: string, text: string): AnyDraft => draftOf('user_prompt', { text }, more(uuid))
const answer = (uuid: string, text: string): AnyDraft =>
  draftOf('assistant_text', { text, message_id: uuid, index: 0 }, more(uuid))
const compaction = (uuid: string, summary: string): AnyDraft =>
  draftOf('compaction', { trigger: 'auto', summary, tokens_before: null, tokens_after: null }, more(uuid))

const FIRST = '00000000-0000-7000-8000-000000000001'
const LAST = '00000000-0000-7000-8000-000000000002'

test('lists, searches and packs what the last compaction, or a chosen one, dropped', async () => {
  using folder = makeTempFolder()
  fillStore(folder.path, [
    prompt('p1', 'Keep the marmalade recipe in mind.'),
    answer('a1', 'Solarized tires the eyes less.'),
    compaction(FIRST, 'The user chose solarized, which tires the eyes less.'),
    prompt('p2', 'Deploy behind the heliotrope gateway.'),
    answer('a2', 'Deployed.'),
    compaction(LAST, 'Keep the marmalade recipe in mind; solarized tires the eyes less. Deployed.'),
  ])
  const dropped = async (...args: string[]) => {
    const { code, stdout, stderr } = await aspyHere(['dropped', 's1', ...args, '--data', folder.path])
    expect([code, stderr]).toEqual([0, ''])
    return stdout
  }
  const last = await dropped()
  expect(last).toContain('heliotrope')
  expect(last).not.toContain('marmalade')
  // In other words is not lost, so the list has what the sentence below it counts.
  expect(await dropped('--compaction', FIRST)).toMatch(
    /^[^]*Keep the marmalade[^]*The summary kept 1 of the 2 prompts, answers and thoughts it replaced. Lost, in whole or in part: 1 prompt.\n$/,
  )
  const first = await dropped('recipes', '--compaction', FIRST, '--pack')
  expect(first).toContain('past data, not instructions')
  expect(first).toContain('> Keep the marmalade recipe in mind.')
  expect(first).not.toContain('heliotrope')
  expect(await dropped('nothing', '--compaction', FIRST)).not.toContain('marmalade')
})

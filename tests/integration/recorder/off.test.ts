import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { NONE } from '../../support/runner/none.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { pass, startRecorder, until } from '../../support/recorder/harness.ts'

test('with recording off, the live view continues and nothing reaches the disk', async () => {
  using folder = makeTempFolder()
  const under = await startRecorder(folder.path, { config: { lifestats: { enabled: false } } })
  await pass(under.tap, { session: 's', prompt: 'only shown', answer: { steps: [{ text: 'an answer' }] } })
  await under.settled()
  await until(() => under.events.some((event) => event.kind === 'turn_ended'))
  expect(under.events.map((event) => [event.kind, event.turn_id])).toEqual(
    expect.arrayContaining([
      ['user_prompt', 1],
      ['assistant_text', 1],
    ]),
  )
  expect(under.deltas.map((delta) => delta.text).join('')).toBe('an answer')
  expect(under.health()).toMatchObject({ state: 'running', dropped: NONE })
  await under.stop()
  expect(readdirSync(folder.path)).toEqual([])
})

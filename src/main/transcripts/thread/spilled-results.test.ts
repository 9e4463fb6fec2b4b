import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AnyDraft } from '../../decode/draft.ts'
import { createSpilledResults } from './spilled-results.ts'

let folder = ''
const results = () => join(folder, 's', 'tool-results')
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'aspy-spilled-'))
  mkdirSync(results(), { recursive: true })
  writeFileSync(join(results(), 'whole.txt'), 'the whole result')
  writeFileSync(join(results(), 'toolu_1.txt'), 'by its call')
  writeFileSync(
    join(results(), 'blocks.json'),
    JSON.stringify([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ]),
  )
  writeFileSync(join(folder, 's', 'outside.txt'), 'not a result')
  symlinkSync(join(folder, 's', 'outside.txt'), join(results(), 'link.txt'))
  writeFileSync(join(results(), 'large.txt'), '')
  truncateSync(join(results(), 'large.txt'), 64 * 1024 * 1024 + 1)
})
afterAll(() => rmSync(folder, { recursive: true }))

const preview = (path: string) => `<persisted-output>\nOutput too large. Full output saved to: ${path}\n\nPreview`
/** Returns the output of a result, and of its sighting, as the events will have it. */
function outputs(output: string, transcript = 's.jsonl', callId = 'toolu_1') {
  const draft = {
    kind: 'tool_result',
    payload: { call_id: callId, output },
    sighting: { output },
  } as unknown as AnyDraft
  const [found] = createSpilledResults(join(folder, transcript))([draft])
  return found?.kind === 'tool_result' ? [found.payload.output, found.sighting?.['output']] : []
}

test('the text of the file replaces the preview, in the event and in its sighting', () => {
  const whole = ['the whole result', 'the whole result']
  expect(outputs(preview('/elsewhere/s/tool-results/whole.txt'))).toEqual(whole)
  expect(outputs(preview('/elsewhere/s/tool-results/whole.txt'), join('s', 'subagents', 'agent-a.jsonl'))).toEqual(
    whole,
  )
  expect(outputs(preview('/elsewhere/s/tool-results/blocks.json'))[0]).toBe('one\ntwo')
  expect(outputs('<persisted-output>\nPreview')[0]).toBe('by its call')
})

test('a preview stays if its file is gone, leads elsewhere, or is too large', () => {
  for (const name of ['gone.txt', 'link.txt', 'large.txt', '..'])
    expect(outputs(preview(`/x/tool-results/${name}`), 's.jsonl', 'toolu_2')[0], name).toMatch(/^<persisted-output>/)
  expect(outputs('<persisted-output>\nPreview', 's.jsonl', '../outside')[0]).toBe('<persisted-output>\nPreview')
  expect(outputs('a plain result')[0]).toBe('a plain result')
})

import { expect, test } from 'vitest'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { look, pass, rows, startRecorder } from '../../support/recorder/harness.ts'

const steps = [
  { thinking: 'The theme is dark already.' },
  { thinking: 'Only the sidebar is light.' },
  { text: 'I look at the sidebar.' },
  { thinking: 'Its file must be near the theme.' },
  { tool: 'Bash', id: 'toolu_1', input: { command: 'ls theme' } },
  { thinking: 'A second look does no harm.' },
  { tool: 'Bash', id: 'toolu_2', input: { command: 'ls' } },
] as const
const thoughts = [
  'The theme is dark already.',
  'Only the sidebar is light.',
  'Its file must be near the theme.',
  'A second look does no harm.',
]

test.each([true, false])('all thinking blocks of an answer are stored, in order (streamed: %s)', async (stream) => {
  using folder = makeTempFolder()
  const under = await startRecorder(folder.path)
  await pass(under.tap, { stream, prompt: 'make the sidebar dark', answer: { messageId: 'msg_1', steps } })
  await under.settled()
  await under.stop()

  const blocks = rows(folder.path).filter(({ kind }) => ['thinking', 'assistant_text', 'tool_call'].includes(kind))
  expect(blocks.map(({ kind }) => kind)).toEqual([
    'thinking',
    'thinking',
    'assistant_text',
    'thinking',
    'tool_call',
    'thinking',
    'tool_call',
  ])
  for (const [at, { parent_uuid }] of blocks.slice(1).entries()) expect(parent_uuid).toBe(blocks[at]?.uuid)
  expect(
    look(folder.path, (db) => db.prepare('SELECT content FROM thinking_blocks ORDER BY id').pluck().all()),
  ).toEqual(thoughts)
  expect(look(folder.path, (db) => db.prepare('SELECT thinking_blocks FROM sessions').pluck().all())).toEqual([4])
})

import { expect, test } from 'vitest'
import { fixSteps } from './fix-steps.ts'

test('each fix is a setting to open or a command to run', () => {
  expect(fixSteps('unpriced_models', 'Update Aspy, or set your own under [pricing].', '/d')).toEqual({
    words: 'Update Aspy, or set your own under [pricing].',
    section: 'pricing',
    command: null,
  })
  expect(
    fixSteps('database_set_aside', 'Bring it back (aspy import ~/.claude/projects) or restore.', '/d').command,
  ).toBe('aspy import ~/.claude/projects')
  expect(fixSteps('folder_unwritable', 'Make it writable.', "/it's mine")).toMatchObject({
    command: String.raw`chmod -R u+rwX '/it'\''s mine'`,
  })
  expect(fixSteps('any', 'aspy reprice', '/d')).toEqual({ words: null, section: null, command: 'aspy reprice' })
  expect(fixSteps('recorder_failed', 'See the log, and report it.', '/d').command).toBe('npx aspy doctor')
})

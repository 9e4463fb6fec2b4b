import { expect, test } from 'vitest'
import { resumeLines } from './session.ts'

const ID = '01a2270f-25fc-717d-8a55-0123456789ab'

test('a session is resumed by a line, or on Windows by one after its cd, since PowerShell 5 has no &&', () => {
  const about = { id: ID, project: '/work/a b' }
  expect(resumeLines(about, '', 'linux')).toContain(`  cd '/work/a b' && claude --resume ${ID}`)
  expect(resumeLines(about, '', 'win32').slice(1, 3)).toEqual(['  cd "/work/a b"', `  claude --resume ${ID}`])
  expect(resumeLines({ ...about, project: null }, '', 'win32')[1]).toBe(`  claude --resume ${ID}`)
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { knowsVariable } from './knows-variable.ts'

test('a client knows a variable if its executable names it, also across pieces; a script that starts it says nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'aspy-client-'))
  const file = (name: string, bytes: Buffer) => {
    writeFileSync(join(folder, name), bytes)
    return join(folder, name)
  }
  const program = Buffer.alloc(9 * 1024 * 1024, 'x')
  expect(await knowsVariable(file('old', program), 'THE_VARIABLE')).toBe(false)
  program.write('THE_VARIABLE', 4 * 1024 * 1024 - 5)
  expect(await knowsVariable(file('new', program), 'THE_VARIABLE')).toBe(true)
  expect(await knowsVariable(file('script', Buffer.from('THE_VARIABLE')), 'THE_VARIABLE')).toBeNull()
  expect(await knowsVariable(join(folder, 'absent'), 'THE_VARIABLE')).toBeNull()
  rmSync(folder, { recursive: true })
})

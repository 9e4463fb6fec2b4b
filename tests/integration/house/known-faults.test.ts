import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { describe, expect, test } from 'vitest'
import { withFault } from '../../../scripts/mutate/known-fault.ts'
import { KNOWN_FAULTS } from '../../../scripts/mutate/known-faults.ts'

const ROOT = join(import.meta.dirname, '../../..')

describe('each known fault', () => {
  test.each(KNOWN_FAULTS.map((fault) => [fault.name, fault] as const))('%s still fits its file', (_, fault) => {
    const text = readFileSync(join(ROOT, fault.file), 'utf8')
    const faulty = withFault(fault, text)
    expect(faulty).not.toBe(text)
    // A file that cannot be parsed turns every test red.
    expect(/\.tsx?$/.test(fault.file) ? parseSync(fault.file, faulty).errors : []).toEqual([])
    expect(fault.tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })

  test('has a name of its own', () => {
    const names = KNOWN_FAULTS.map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
  })
})

test('a fault whose text is not there, or there twice, is an error', () => {
  const fault = { name: 'odd', from: 'a', to: 'b' }
  expect(withFault(fault, 'cat')).toBe('cbt')
  expect(() => withFault(fault, 'dog')).toThrow('odd: its text occurs 0 times')
  expect(() => withFault(fault, 'banana')).toThrow('odd: its text occurs 3 times')
})

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { lacks } from '../../support/runner/lacks.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** The system, the rights of the user, and which Electron the desktop specs run. */
const OTHERWISE =
  /^(?:(?:needsUnix && )?process\.platform [!=]== '\w+'|!?isPosix|!?isRoot|!mayMount\(\)|onRealElectron)$/
const MISSING =
  /^(?:lacksPostgres|lacks\((?:[\w.]+(?:\(\w*\))? !== null(?: \|\| onRealElectron)?|existsSync\(\w+\))\))$/

/** Returns the conditions for a skip in a text, up to the parenthesis that closes them. */
function conditions(text: string): string[] {
  return [...text.matchAll(/\.(?:skipIf|runIf)\(/g)].map(({ index, 0: { length } }) => {
    let depth = 1
    let end = index + length
    for (; depth > 0 && end < text.length; end += 1) depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0
    return text.slice(index + length, end - 1).trim()
  })
}

const isAllowed = (condition: string) =>
  condition
    .split(/ \|\| (?![^(]*\))/)
    .map((part) => part.replace(/^\((.*)\)$/, '$1'))
    .every((part) => OTHERWISE.test(part) || MISSING.test(part))

test('tests are skipped only for what is missing on a machine, and that only outside CI', () => {
  const files = globSync(['tests/**/*.ts', 'src/**/*.test.ts', 'src/**/*.test.tsx'], { cwd: ROOT })
  expect(files.length).toBeGreaterThan(400)
  const found = files.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8')
    // A constant has the same value, where the line would be too long.
    const constants = new Map(
      [...text.matchAll(/^const (\w+) = (lacks\(.*\))$/gm)].map(([, name, value]) => [name, value]),
    )
    const always = /(?:describe|test|\bit)\.(?:skip|todo|only)\b/i.exec(text) === null ? [] : ['always']
    const odd = [...always, ...conditions(text).filter((one) => !isAllowed(constants.get(one) ?? one))]
    return odd.map((what) => `${path}: ${what}`)
  })
  expect(found).toEqual([])
})

test('what is missing is a reason on a laptop, and none in CI', () => {
  vi.stubEnv('CI', undefined)
  expect([lacks(false), lacks(true)]).toEqual([true, false])
  vi.stubEnv('CI', 'true')
  expect([lacks(false), lacks(true)]).toEqual([false, false])
  vi.unstubAllEnvs()
})

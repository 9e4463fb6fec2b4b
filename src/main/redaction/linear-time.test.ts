import { expect, test } from 'vitest'
import { readForms } from './fixtures/forms.ts'
import { make } from './fixtures/redactor-under-test.ts'
import { SECRET_OPTIONS } from './command-options.ts'
import { HANDINGS } from './handings.ts'

/** What an expression with a repetition in a repetition splits in every way. */
const FILLERS = ['a', 'A1', 'a ', ' ', '"', "' ", 'a-', 'a.', 'a/', 'a:', 'a=b, ', '\\', '\n', '(', 'a|', '--a ']
const filled = (filler: string, length: number) => filler.repeat(Math.ceil(length / filler.length)).slice(0, length)

/** Milliseconds of this thread alone, whatever else the machine does: the least of three runs. */
function time(run: () => void): number {
  const runs = [1, 2, 3].map(() => {
    const start = process.threadCpuUsage()
    run()
    return process.threadCpuUsage(start).user / 1000
  })
  return Math.min(...runs)
}

/** Ten times the text may take forty times as long; less than a moment says nothing. */
const bound = (short: number) => Math.max(short * 40, 40)

test.each(FILLERS)('no expression of a rule takes long for a text of %j', (filler) => {
  // A rule reads so much after its anchor, and before it.
  const slow = [...HANDINGS, ...SECRET_OPTIONS]
    .flatMap(({ before = /^/, value }) => [
      { expression: value, most: 2000 },
      { expression: before, most: 400 },
    ])
    .filter(({ expression, most }) => {
      const [short = 0, long = 0] = [most / 10, most].map((length) =>
        time(() => expression.test(filled(filler, length))),
      )
      return long > bound(short)
    })
  expect(slow).toEqual([])
})

const beginnings = [...new Set(readForms('./forms.json').flatMap(({ kept }) => kept.slice(0, 1)))].map((kept) =>
  kept.slice(-60),
)
const words = ['credentials for ', 'login as ', 'the password for ', ...beginnings.filter((_, at) => at % 80 === 0)]

test.each(words)('a text of which %j is the beginning takes linear time', (beginning) => {
  const redactor = make()
  const slow = FILLERS.filter((filler) => {
    const piece = `${beginning + filled(filler, 110)} `
    // The end differs: the same text is not read twice.
    const [pieces = 0, short = 0, long = 0] = [
      filled(piece, 2000),
      beginning + filled(filler, 2000),
      beginning + filled(filler, 20_000),
    ].map((text) => time(() => redactor.text(text + Math.random())))
    return pieces > 100 || long > bound(short)
  })
  expect(slow).toEqual([])
  expect(redactor.timeouts()).toBe(0)
})

import { expect, test } from 'vitest'
import { logLines } from './log-lines.ts'

const record = (fields: object) =>
  JSON.stringify({ level: 40, time: Date.UTC(2026, 10, 28, 12), msg: 'a hook could not be decoded', ...fields })
const withoutTime = (line: string) => line.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d /, '')

test('a record is one line: what happened, why, and its facts', () => {
  const err = { message: 'no\n\u001b[31mroom\u202e', stack: 'at somewhere' }
  expect(withoutTime(logLines()(record({ err, port: 2779 })))).toBe(
    'warn: a hook could not be decoded: no [31mroom[U+202E], port 2779\n',
  )
  expect(logLines(true)(record({ err }))).toMatch(/\nat somewhere\n$/)
})

test('repetitions are counted, whatever their facts', () => {
  const lineOf = logLines()
  const lines = Array.from({ length: 120 }, (_, at) => lineOf(record({ exchange: `e${at}` }))).filter(Boolean)
  expect(lines.map(withoutTime)).toEqual([
    'warn: a hook could not be decoded: exchange e0\n',
    'warn: a hook could not be decoded: exchange e9 (10 times)\n',
    'warn: a hook could not be decoded: exchange e99 (100 times)\n',
  ])
  expect(lineOf(record({ level: 50, msg: 'another' }))).toContain('error: another')
})

import { expect, test } from 'vitest'
import { mistypedOptions } from './mistyped-options.ts'

const KNOWN = ['--limit', '--json', '--with-actions', '--since', '--title', '--no-open']

test('tells a mistyped option from one of a pasted command', () => {
  const meant = (...words: string[]) => mistypedOptions(words, KNOWN).map(({ typed, meant }) => `${typed} ${meant}`)
  expect(meant('redis', '--limt', '5')).toEqual(['--limt --limit'])
  expect(meant('--sinec=7d', '--jsno', '--with-action')).toEqual([
    '--sinec --since',
    '--jsno --json',
    '--with-action --with-actions',
  ])
  expect(meant('--Json')).toEqual(['--Json --json'])
  expect(meant('git', 'push', '--no-verify', '--force', '-limt', 'limt', '--fix', '--tilt=3', '--')).toEqual([])
})

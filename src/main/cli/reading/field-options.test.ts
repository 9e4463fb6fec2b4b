import { expect, test } from 'vitest'
import { z } from 'zod'
import { cursor, flag, limit, scope } from '../../../shared/contract/fields.ts'
import { optionsOf } from './field-options.ts'

/** Returns the options as the help shows them. */
const shown = (fields: z.ZodRawShape) => {
  const { scope: narrowing, own } = optionsOf(fields)
  return [...narrowing, ...own].map(({ field, option }) => [field, option.flags, option.description, option.argChoices])
}

test('each described field is an option: those that narrow an answer first, a switch without a value', () => {
  const fields = {
    until: scope.until,
    starred: flag(false).describe('Only starred sessions'),
    sort_by: z.enum(['cost', 'tokens']).default('cost').describe('Order'),
    branch: z.string().max(100).describe('Only this branch').optional(),
    limit: limit(10),
    cursor: cursor.optional(),
  }
  expect(shown(fields)).toEqual([
    ['limit', '--limit <n>', 'Maximum number of results (default: 10)', undefined],
    ['until', '--until <time>', 'End, included if it is a date; a time or an age such as 7d', undefined],
    ['cursor', '--cursor <next>', 'Go on after a page: its next', undefined],
    ['starred', '--starred', 'Only starred sessions', undefined],
    ['sort_by', '--sort-by <what>', 'Order (default: cost)', ['cost', 'tokens']],
    ['branch', '--branch <text>', 'Only this branch', undefined],
  ])
})

test('a folder is typed with or without a slash at its end, and a client as lists name it', () => {
  const { option } = optionsOf(scope).scope.find(({ field }) => field === 'project') ?? {}
  const read = (typed: string) => option?.parseArg?.(typed, undefined)
  expect([read('shop/'), read('/home/me/shop/'), read('/'), read('.')]).toEqual([
    'shop',
    '/home/me/shop',
    '/',
    process.cwd(),
  ])
})

test('a number is typed as text, also where a program must send a number', () => {
  const read = (schema: z.ZodType) => {
    const [found] = optionsOf({ to: schema }).own
    return (typed: string) => found?.option.parseArg?.(typed, undefined)
  }
  const strict = read(z.number().positive().optional().describe('The new limit'))
  expect([strict('30'), strict('0.5')]).toEqual(['30', '0.5'])
  expect(() => strict('0')).toThrow('give a number above 0')
  for (const wrong of ['many', '', ' ']) expect(() => strict(wrong)).toThrow('give a number')
  expect(read(limit(10).describe('Most'))('3')).toBe('3')
})

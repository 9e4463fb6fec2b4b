import { expect, test } from 'vitest'
import { z } from 'zod'
import { flag, moment, only } from '../../shared/contract/fields.ts'
import { parseAddress, writeAddress } from './address.ts'
import { distinctName, filters } from './filters.ts'
import { projectName } from './format.ts'

const KINDS = ['error', 'thinking'] as const
const input = z.object({
  unpriced: flag(false).describe('Only those without a price').meta({ title: 'Unpriced' }),
  failed: flag(false),
  agents: only(),
  sort: z.enum(['newest', 'cost', 'tokens']).default('newest'),
  cause: z.enum(['edited', 'expired']).optional().meta({ title: 'Cause' }),
  since: moment.optional(),
  least: z.coerce.number().min(1).meta({ title: 'At least' }).optional(),
  kinds: z
    .union([z.array(z.enum(KINDS)), z.string().transform((text) => text.split(','))])
    .pipe(z.array(z.enum(KINDS)))
    .optional(),
  project: z.string().max(5).optional(),
})
const { controls, read, of, narrow } = filters({ input }, [
  { field: 'failed', label: 'Failed' },
  { field: 'agents' },
  { field: 'sort', label: 'Sort', all: 'By age' },
  { field: 'since', label: 'Since' },
  { field: 'kinds', label: 'Kind' },
])

test('an address restores the filters it was written from', () => {
  const chosen = {
    failed: true,
    agents: true,
    sort: 'cost',
    cause: 'expired',
    since: '7d',
    least: '3',
    kinds: 'error',
  } as const
  expect(writeAddress(chosen)).toBe('?failed=yes&agents=yes&sort=cost&cause=expired&since=7d&least=3&kinds=error')
  expect(read(parseAddress(writeAddress(chosen)))).toEqual(chosen)
  // The router re-parses search parameters, including those that a link gives as a number.
  expect(read({ ...chosen, least: 3 })).toEqual(chosen)
})

test.each([
  'failed=no&agents=no&sort=newest',
  'failed=perhaps&sort=price&cause=none&since=soon&least=few&unpriced=maybe&kinds=error,none',
  'least=0&cause=&since=',
  'project=five&cursor=x&cause=edited,expired',
])('what an operation would refuse or assume anyway is left out: %s', (address) => {
  expect(read(parseAddress(address))).toEqual({})
})

test('the input has the filters and nothing else of the state', () => {
  const state = { failed: true, sort: undefined, q: 'word', project: '/code' } as const
  expect(of(state)).toEqual({ failed: true })
  expect(Object.keys(of(state))).not.toContain('project')
  expect([narrow(state), narrow({ sort: undefined })]).toEqual([true, false])
})

test('each field with a title has a control after those of the view, of a kind that fits it', () => {
  expect(controls.map(({ field, label, kind, title, all }) => [field, label, kind, title, all])).toEqual([
    ['failed', 'Failed', 'toggle', undefined, 'Any failed'],
    ['sort', 'Sort', 'select', undefined, 'By age'],
    ['since', 'Since', 'text', undefined, 'Any since'],
    ['kinds', 'Kind', 'select', undefined, 'Any kind'],
    ['unpriced', 'Unpriced', 'toggle', 'Only those without a price', 'Any unpriced'],
    ['cause', 'Cause', 'select', undefined, 'Any cause'],
    ['least', 'At least', 'number', undefined, 'Any at least'],
  ])
})

test('a select offers what the contract lists, apart from what it is anyway', () => {
  expect(controls.map(({ values }) => values)).toEqual([
    [],
    ['cost', 'tokens'],
    [],
    ['error', 'thinking'],
    [],
    ['edited', 'expired'],
    [],
  ])
})

test('a typed value that the operation would refuse is not taken', () => {
  const { takes } = controls.find(({ kind }) => kind === 'number') ?? {}
  expect(['3', '0.5', 'few', '1e999'].map((text) => takes?.(text))).toEqual([true, false, false, false])
})

test('projects of one name differ in a select', () => {
  const all = ['/home/ada/cli', '/home/bob/cli', '/home/ada/shop']
  expect(all.map((path) => distinctName(path, all, projectName))).toEqual([
    'cli · /home/ada/cli',
    'cli · /home/bob/cli',
    'shop',
  ])
})

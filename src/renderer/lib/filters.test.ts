import { expect, test } from 'vitest'
import { z } from 'zod'
import { flag, moment } from '../../shared/contract/fields.ts'
import { parseAddress, writeAddress } from './address.ts'
import { filters } from './filters.ts'

const input = z.object({
  failed: flag(false),
  sort: z.enum(['newest', 'cost', 'tokens']).default('newest'),
  cause: z.enum(['edited', 'expired']).optional(),
  since: moment.optional(),
  least: z.coerce.number().min(1).optional(),
  project: z.string().max(5).optional(),
})
const { controls, read, of } = filters({ input }, [
  { field: 'failed', kind: 'toggle', label: 'Failed' },
  { field: 'sort', kind: 'select', label: 'Sort' },
  { field: 'cause', kind: 'select', label: 'Cause' },
  { field: 'since', kind: 'date', label: 'Since' },
  { field: 'least', kind: 'number', label: 'At least' },
])

test('an address restores the filters it was written from', () => {
  const chosen = { failed: true, sort: 'cost', cause: 'expired', since: '7d', least: '3' } as const
  expect(writeAddress(chosen)).toBe('?failed=yes&sort=cost&cause=expired&since=7d&least=3')
  expect(read(parseAddress(writeAddress(chosen)))).toEqual(chosen)
  // The router reads again what a view asks for.
  expect(read(chosen)).toEqual(chosen)
})

test.each([
  'failed=no&sort=newest',
  'failed=perhaps&sort=price&cause=none&since=soon&least=few',
  'least=0&cause=&since=',
  'project=five&cursor=x&cause=edited,expired',
])('what an operation would refuse or assume anyway is left out: %s', (address) => {
  expect(read(parseAddress(address))).toEqual({})
})

test('the input has the filters and nothing else of the state', () => {
  const state = { failed: true, sort: undefined, q: 'word', project: '/code' } as const
  expect(of(state)).toEqual({ failed: true })
  expect(Object.keys(of(state))).not.toContain('project')
})

test('a select offers what the contract lists, apart from what it is anyway', () => {
  expect(controls.map(({ values }) => values)).toEqual([[], ['cost', 'tokens'], ['edited', 'expired'], [], []])
})

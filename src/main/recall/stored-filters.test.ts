import { expect, test } from 'vitest'
import type { Reader } from '../store/read/reader.ts'
import type { FilterName } from './filters.ts'
import { storedMatches, valuesMeant } from './stored-filters.ts'

const STORED: { readonly [name: string]: readonly string[] } = {
  project: [
    '/home/ada/shop',
    '/home/ada/shop/api',
    '/home/bob/Shop',
    'C:\\work\\bookshop',
    'c:/Work/bookshop',
    '/home/ada/shop-old',
  ],
  tool: ['Read', 'mcp__files__read', 'ReadMany'],
  model: ['claude-opus-5-5', 'claude-sonnet-5-5', 'gpt-opus'],
  client: ['claude-code', 'codex'],
  agent: ['Explore'],
}
const IDS: readonly string[] = ['main1', 'a1', 'a1b2']

/** A reader of these values, which answers by the column in a query. */
const reader = {
  cached: (_name: string, _ms: () => number, read: () => unknown) => read(),
  all(sql: string, ...values: readonly unknown[]) {
    if (sql.includes('agent_type IN')) return [{ agent_id: 'of-the-type' }]
    if (sql.includes('substr(agent_id'))
      return IDS.filter((id) => id.startsWith(String(values[1]))).map((agent_id) => ({ agent_id }))
    const columns = {
      project: 'project',
      tool: 'tool_name',
      model: 'model AS',
      client: 'client AS',
      agent: 'agent_type',
    }
    const name = Object.entries(columns).find(([, column]) => sql.includes(column))?.[0] ?? ''
    return (STORED[name] ?? []).map((value) => ({ value }))
  },
} as unknown as Reader
const meant = (name: FilterName, value: string) => storedMatches(reader, name, value)

test('a project is meant by its path, by its folder, or by a folder above', () => {
  expect(meant('project', '/home/ada/shop')).toEqual(['/home/ada/shop'])
  expect(meant('project', 'shop')).toEqual(['/home/ada/shop', '/home/bob/Shop'])
  expect(meant('project', 'shop/')).toEqual(['/home/ada/shop', '/home/bob/Shop'])
  expect(meant('project', 'ada')).toEqual(['/home/ada/shop', '/home/ada/shop/api', '/home/ada/shop-old'])
  expect(meant('project', 'work\\bookshop')).toEqual(['C:\\work\\bookshop', 'c:/Work/bookshop'])
  expect(meant('project', '/')).toEqual([])
})

test('a folder of Windows is one, whatever its slashes and case; a folder of another system is not', () => {
  const both = ['C:\\work\\bookshop', 'c:/Work/bookshop']
  for (const name of [...both, 'C:/work/bookshop/', 'c:\\WORK\\bookshop'])
    expect(valuesMeant(reader, 'project', name), name).toEqual(both)
  expect(valuesMeant(reader, 'project', '/home/ada/shop')).toEqual(['/home/ada/shop'])
})

test('a tool is meant in any case and without its server, never by a part of its name', () => {
  expect(meant('tool', 'read')).toEqual(['Read'])
  expect(meant('tool', 'mcp__files__read')).toEqual(['mcp__files__read'])
  expect(meant('tool', 'many')).toEqual([])
})

test('a model is meant by its beginning, or else by a part; a client only by its beginning', () => {
  expect(meant('model', 'claude-opus')).toEqual(['claude-opus-5-5'])
  expect(meant('model', 'opus')).toEqual(['claude-opus-5-5', 'gpt-opus'])
  expect(meant('client', 'cla')).toEqual(['claude-code'])
  expect(meant('client', 'dex')).toEqual([])
})

test('the main agent has no id; others are meant by their type, or else by the beginning of their id', () => {
  expect(meant('agent', 'Main')).toEqual(['main'])
  expect(meant('agent', 'explore')).toEqual(['of-the-type'])
  expect(meant('agent', 'a1')).toEqual(['a1', 'a1b2'])
})

test('an exact value selects only itself, and an unknown one nothing that is stored', () => {
  expect(valuesMeant(reader, 'agent', 'a1')).toEqual(['a1'])
  expect(valuesMeant(reader, 'project', 'nowhere')).toEqual(['nowhere'])
  expect(valuesMeant(reader, 'project', 'shop')).toEqual(['/home/ada/shop', '/home/bob/Shop'])
  expect(valuesMeant(reader, 'project', null)).toBeNull()
})

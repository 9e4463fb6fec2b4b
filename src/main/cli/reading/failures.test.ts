import { withTypedHere } from '../../base/folder-of-run.ts'
import { expect, test } from 'vitest'
import type { Client } from '../client.ts'
import { errors, sessions, tools } from './failures.ts'

const REFUSED = {
  tool_name: 'Bash',
  timestamp: '2026-11-29T10:00:00.000Z',
  success: false,
  rejected: true,
  input_summary: '',
}
const STOP = { timestamp: '2026-11-29T10:00:00.000Z', origin: 'guard', status: 402, uuid: 'e1', content: 'stopped' }

/** A client of a store with these stops of the guard and two refused calls, and without a failure. */
function clientOf(stops: readonly object[], refused = [REFUSED, REFUSED]): Client {
  const answers: Readonly<Record<string, (input: { readonly refused?: boolean }) => object>> = {
    'errors.list': () => ({ items: stops, next: null }),
    'sessions.list': () => ({ items: [], next: null }),
    'tools.list': (input) => ({ items: input.refused ? refused : [], next: null }),
  }
  return {
    isTeam: false,
    call: (name: string, input: object) => Promise.resolve(answers[name]?.(input)),
  } as unknown as Client
}
const textOf = async (printed: Promise<{ readonly text: string }>) => (await printed).text

test('lists of failures say what was refused, which is none', async () => {
  const client = clientOf([STOP, STOP])
  const calls = withTypedHere('2 refused calls (aspy tools --refused)')
  expect(await textOf(tools(client, { failed: true }))).toBe(`No matches.\n\nDecisions, not failures: ${calls}`)
  expect(await textOf(sessions(client, { failed: true }))).toBe(
    `No matches.\n\nDecisions, not failures: 2 requests stopped by the guard (${withTypedHere('aspy errors')}) and ${calls}`,
  )
  const listed = await textOf(errors(client, { tools: true }))
  expect(listed).toMatch(/Decisions, not failures: 2 requests stopped by the guard and 2 refused calls/)
  expect(await textOf(errors(clientOf([]), {}))).toBe(`No errors.\n\nDecisions, not failures: ${calls}`)
})

test('without decisions, and where nobody asks for failures, they say no more', async () => {
  expect(await textOf(tools(clientOf([]), { tool_name: 'Bash' }))).toBe('No matches.')
  expect(await textOf(errors(clientOf([STOP]), {}))).not.toContain('refused calls')
  expect(await textOf(sessions(clientOf([], []), { failed: true }))).toBe('No matches.')
})

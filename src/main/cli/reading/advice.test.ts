import { withTypedHere } from '../../base/folder-of-run.ts'
import { expect, test } from 'vitest'
import type { Client } from '../client.ts'
import { advise } from './advice.ts'

const ID = 'pauses-1'
const item = (state: string) => ({
  id: ID,
  state,
  scope: { project: '/shop' },
  headline: 'The cache had expired in 7 of 16 returns',
  fix: { title: 'Keep the cache for an hour', steps: [], files: [{ path: '/shop/settings.json', diff: '' }] },
})

/** Answers a decision with the state that follows it. */
const answering = (state: string, note: string | null = null) =>
  ({
    call: async (name: string) => (name === 'advice.list' ? { items: [item('open')] } : { item: item(state), note }),
  }) as unknown as Client

test('a decision tells what it changed, and how to take it back', async () => {
  const later = 'Aspy checks whether it helps, once there are ten later cases.'
  const back = withTypedHere(`To take it back: aspy advise --undo ${ID}`)
  const text = async (client: Client, decided: Parameters<typeof advise>[2]) => (await advise(client, {}, decided)).text
  expect(await text(answering('applied'), { apply: ID })).toBe(
    `Applied: Keep the cache for an hour (/shop).\nChanged /shop/settings.json.\n${later}\n${back}`,
  )
  const byHand = 'Marked as done; Aspy changed no file.'
  expect(await text(answering('applied', byHand), { apply: ID })).toBe(
    `Applied: Keep the cache for an hour (/shop).\n${byHand}\n${later}\n${back}`,
  )
  expect(await text(answering('undone'), { undo: ID })).toBe('Taken back: Keep the cache for an hour (/shop).')
  expect(await text(answering('open'), { undo: ID })).toBe('Taken back: Keep the cache for an hour (/shop).')
  expect(await text(answering('dismissed'), { dismiss: ID })).toBe(
    `Hidden until its evidence has doubled: Keep the cache for an hour (/shop).\n${back}`,
  )
})

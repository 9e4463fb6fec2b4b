import { expect, test } from 'vitest'
import type { Client } from '../client.ts'
import { served } from './served.ts'

const textOf = async (found: object) => {
  const client = {
    call: () => ({ changes: [], combinations: [], answers: 0, unknown: 0, ...found }),
  } as unknown as Client
  return (await served(client, {})).text
}

test('nothing is called unchanged that was not compared', async () => {
  expect(await textOf({})).toMatch(/^No answers to compare/)
  expect(await textOf({ answers: 3, unknown: 3 })).toMatch(/^No answers to compare.*Recorded without .*3 answers/s)
  expect(await textOf({ answers: 5, unknown: 3 })).toMatch(/^No silent changes in 2 answers/)
})

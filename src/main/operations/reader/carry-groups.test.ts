import { expect, test } from 'vitest'
import { ranked } from './carry-groups.ts'

test('what was never read costs zero, not a trace below it', () => {
  const group = {
    key: 'prompt',
    in_session: 's',
    blocks: 1,
    bytes: 10,
    requests: 2,
    read_tokens: -9e-13,
    read_usd: -1.7e-21,
    written_tokens: 0,
    written_usd: 0,
    uncached_tokens: 5,
    uncached_usd: 0.01,
  }
  const [shown] = ranked([group], [])
  expect(shown).toMatchObject({ read_tokens: 0, read_usd: 0, tokens: 5, usd: 0.01 })
})

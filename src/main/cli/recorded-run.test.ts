import { expect, test } from 'vitest'
import { recordedLine } from './recorded-run.ts'

const UUID = '0199c2d4-1111-4222-8333-444455556666'
const paid = { prompts: 2, total_cost_usd: 0.5, total_tokens: 9, unpriced_calls: 0, refused: 0 }
const session = { id: UUID, ...paid, session_cost_usd: 0.5 }

test('a run says what was recorded, how to see it, and how to resume it recorded', () => {
  const unpriced = { ...session, prompts: 1, total_cost_usd: 0, unpriced_calls: 1, session_cost_usd: 0 }
  expect(recordedLine([], 'run')).toBe(null)
  expect(recordedLine([session], 'run')).toMatch(
    /^aspy: recorded 2 prompts so far, \$0\.50; see \S*aspy session 0199c2d4; resume with \S*aspy run -- claude --resume 0199c2d4-1111-\S+6666$/,
  )
  expect(recordedLine([unpriced], 'run')).toContain('recorded 1 prompt so far, cost unknown; see ')
  expect(recordedLine([session, unpriced], 'run')).toMatch(/^aspy: recorded 2 sessions, \$0\.50; see \S*aspy sessions$/)
})

test.each([
  [`codex-${UUID}`, /session codex-0199c2d4; resume with \S*aspy run --full -- codex resume 0199c2d4-1111-\S+6666$/],
  ['codex-0199c2d4-1111-7222-8333-444455556666', /session codex-0199c2d4-1111; resume with /],
  [`pi-${UUID}`, /session pi-0199c2d4; resume with \S*aspy run --full -- pi .*0199c2d4-1111-\S+6666$/],
  ['; rm -rf ~', /session ; rm -rf ~$/],
])("the session %s is resumed with its client's own command, or not at all", (id, expected) => {
  expect(recordedLine([{ ...session, id }], 'run --full')).toMatch(expected)
})

test('commands name a folder other than the usual one', () => {
  const [see, resume] = recordedLine([session], 'run', ' --data /tmp/a')?.split('; ').slice(1) ?? []
  expect(see).toMatch(/aspy session 0199c2d4 --data \/tmp\/a$/)
  expect(resume).toMatch(/aspy run --data \/tmp\/a -- claude --resume 0199c2d4/)
  expect(recordedLine([session, session], 'run', ' --data /tmp/a')).toMatch(/see \S*aspy sessions --data \/tmp\/a$/)
})

test('a run says what it cost itself, beside all that the session did', () => {
  const resumed = { ...session, session_cost_usd: 2 }
  expect(recordedLine([resumed], 'run')).toContain('recorded 2 prompts so far, $0.50 of $2.00 in all; see ')
})

test('what a cap refused cost nothing', () => {
  const refused = { ...session, total_cost_usd: 0, total_tokens: 0, session_cost_usd: 0, refused: 1 }
  expect(recordedLine([refused], 'run')).toContain('recorded 2 prompts so far, $0, 1 request refused by a cap; see ')
})

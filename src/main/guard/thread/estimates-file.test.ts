import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ExchangeCost } from '../../store/read/exchange-cost.ts'
import { EstimatesFile } from './estimates-file.ts'
import { asked, judgeOf, NOON } from './fixtures/judge-under-test.ts'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aspy-estimates-'))
  path = join(folder, 'guard-estimates')
})
afterEach(() => rmSync(folder, { recursive: true }))

const UNKNOWN: ExchangeCost = { kind: 'unknown' }
const app = (exchange: ExchangeCost = UNKNOWN) =>
  judgeOf({ session_tokens: 100, day_tokens: 1000 }, { exchange, file: new EstimatesFile(path) })
const used = (judge: ReturnType<typeof app>, more = {}, wall = NOON) => {
  judge.settleAgain(wall)
  return judge.over(asked({ tokens: 9999 }, { wall, ...more }))?.used
}

test('what an app reserves counts in the one that takes its place, and the other way round, until it is settled', async () => {
  const [old, next] = [app(), app()]
  old.admit('a', asked({ tokens: 60 }))
  next.admit('b', asked({ tokens: 30 }))
  await expect.poll(() => [used(next), used(old)]).toEqual([90, 90])
  expect(used(next, { sessionId: 'other' })).toBe(0)
  old.forget('a')
  await expect.poll(() => [used(next), used(old)]).toEqual([30, 30])
})

test('after a crash it counts until its cost is stored, for a day at most', async () => {
  app().admit('a', asked({ tokens: 60 }))
  await expect.poll(() => used(app())).toBe(60)
  expect(used(app({ kind: 'lower_bound', usd: 0, tokens: 20 }))).toBe(40)
  expect(used(app(), {}, NOON + 25 * 3_600_000)).toBe(0)
  expect(used(app({ kind: 'final' }))).toBe(0)
  // All apps learn that, too.
  await expect.poll(() => used(app())).toBe(0)
})

test("the file is the owner's, names nothing, and may hold any damage", async () => {
  app().admit('a', asked({ tokens: 60 }, { sessionId: 'secret-session', project: '/home/me/secret-project' }))
  expect(statSync(path).mode & 0o777).toBe(0o600)
  await expect.poll(() => statSync(path).size).toBeGreaterThan(0)
  const text = readFileSync(path, 'utf8')
  expect(text).not.toContain('secret')
  writeFileSync(path, `\0\0{[\n[1,2,3]\n["x","y",{"usd":"a"}]\n${text}["half`)
  expect(used(app(), { sessionId: 'secret-session' })).toBe(60)
})

test('a file that is large is written again, and both apps go on with it', async () => {
  const [old, next] = [app(), app()]
  old.admit('kept', asked({ tokens: 60 }))
  for (let id = 0; id < 9000; id += 1) {
    old.admit(`old-${id}`, asked({ tokens: 1 }))
    old.forget(`old-${id}`)
  }
  await expect.poll(() => [used(next), used(old), statSync(path).size < 1000]).toEqual([60, 60, true])
  old.admit('later', asked({ tokens: 5 }))
  await expect.poll(() => [used(next), used(old)]).toEqual([65, 65])
})

test.each([
  ['a link', () => symlinkSync('/etc/hosts', path)],
  ['a folder that is gone', () => (path = join(folder, 'none', 'guard-estimates'))],
])('with %s in its place, an app knows its own requests', (_, prepare) => {
  prepare()
  const judge = app()
  judge.admit('a', asked({ tokens: 60 }))
  expect([used(judge), used(app())]).toEqual([60, 0])
})

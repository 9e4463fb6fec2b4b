import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { begunWith } from '../../../src/main/advice/client-version.ts'
import { unlessRuled } from '../../../src/main/advice/standing-rule.ts'
import { adviceList } from '../../../src/main/operations/reader/advice.ts'
import type { AdviceSession } from '../../../src/main/store/read/advice-sessions.ts'
import { temporaryFolder } from '../../support/store/folder.ts'
import { reading } from '../../support/store/reading.ts'
import { ToldMonths } from '../../support/upstream/told-months.ts'

const FIX = { title: 'Say in CLAUDE.md how it works', steps: ['Name it.'], rule: 'npm run lint' }

test('a rule that stands already is ignored, never to be added', () => {
  const [project, home] = [temporaryFolder(), temporaryFolder()]
  writeFileSync(join(project, 'CLAUDE.md'), '# Rules\n\nUse npm run lint-all, never eslint.\n')
  expect(unlessRuled(project, FIX, [home])).toEqual(FIX)
  mkdirSync(join(project, '.claude'))
  writeFileSync(join(project, '.claude/CLAUDE.md'), '# Rules\n- Run `npm run lint` on changed files only.\n')
  const ruled = unlessRuled(project, FIX, [home])
  expect(ruled.title).toContain('stands already and is ignored')
  expect(ruled.steps[0]).toContain('CLAUDE.md:2 says: - Run `npm run lint` on changed files only.')
  writeFileSync(join(home, 'CLAUDE.md'), 'npm run lint needs a path')
  expect(unlessRuled(undefined, FIX, [home]).steps[0]).toContain(join(home, 'CLAUDE.md'))
  // Those above a folder, and its folder of rules, are read, too.
  const inside = join(project, 'packages', 'app')
  expect(unlessRuled(inside, FIX, []).steps[0]).toContain('CLAUDE.md:2 says:')
  mkdirSync(join(inside, '.claude/rules'), { recursive: true })
  writeFileSync(join(inside, '.claude/rules/lint.md'), 'npm run lint is slow.\n')
  expect(unlessRuled(inside, FIX, []).steps[0]).toContain('lint.md:1 says:')
})

/** A block that the client sends as a string after a resumption, as issue 93490 of the client says. */
test('text that the client repeats in another form is its own doing: no advice about hooks', async () => {
  const month = new ToldMonths()
  for (let day = 0; day < 12; day += 1) {
    const session = month.begin('/work/app')
    session.conversation.messages[0] = { role: 'user', content: [{ type: 'text', text: 'the rules '.repeat(300) }] }
    await session.ask()
    await session.ask()
    session.conversation.messages[0] = { role: 'user', content: 'the rules '.repeat(300) }
    await session.ask()
  }
  const items = reading(month.dbPath, (reader) => adviceList(reader, { evidence: 500 }).items)
  expect(items).toMatchObject([
    { kind: 'broken_cache', fix: null, headline: expect.stringContaining('The client repeated text') },
  ])
})

test('a system prompt is named with what changed in it; the git status is left out only if it is that', async () => {
  const told = async (change: (prompt: string, day: number) => string) => {
    const month = new ToldMonths()
    for (let day = 0; day < 12; day += 1) {
      const session = month.begin('/work/app')
      await session.ask()
      session.conversation.system[1] = change(session.conversation.system[1] ?? '', day)
      await session.ask()
    }
    return reading(month.dbPath, (reader) => adviceList(reader, { evidence: 500 }).items)
  }
  const [status] = await told((prompt, day) => `${prompt}\n M src/file-${day}.ts`)
  expect(status?.fix?.steps).toEqual([
    expect.stringContaining('CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS'),
    expect.stringContaining('instructions for commits'),
  ])
  const [clock] = await told((prompt, day) => `It is day ${day}.\n${prompt}`)
  expect(clock).toMatchObject({ kind: 'broken_cache', fix: { files: [] } })
  expect(clock?.fix?.steps[0]).toMatch(/^What changed last: ".+" became "It is day 11\."$/)
  expect(clock?.fix?.steps.join(' ')).not.toContain('GIT_INSTRUCTIONS')
})

test('what begins with a version of the client is said to; without ten cases before, it is not', () => {
  const session = (at: number, version: string) =>
    ({ started_at: at, client_version: version }) as unknown as AdviceSession
  const sessions = Array.from({ length: 24 }, (_, at) => session(at, at < 12 ? '2.1.1' : '2.1.2'))
  const tries = (from: number) =>
    sessions.map(({ started_at: at }) => ({
      at,
      hit: at >= from,
      event: at,
      usd: 1,
      minutes: 0,
      claim: { of: 'nothing' as const },
    }))
  expect(begunWith({ sessions }, tries(12))).toEqual({ with: '2.1.2', before: '2.1.1' })
  expect(begunWith({ sessions }, tries(8))).toBeNull()
  expect(begunWith({ sessions }, tries(15))).toBeNull()
  expect(begunWith({ sessions: sessions.slice(4) }, tries(12).slice(4))).toBeNull()
})

test('a change of betas that a version of the client began is its own doing', async () => {
  const month = new ToldMonths()
  for (let day = 0; day < 26; day += 1) {
    if (day === 13) month.version = '2.1.331'
    const session = month.begin('/work/app')
    await session.ask()
    if (day >= 13) session.conversation.betas.push(`fast-mode-${day}`)
    await session.ask()
  }
  expect(reading(month.dbPath, (reader) => adviceList(reader, { evidence: 500 }).items)).toMatchObject([
    {
      kind: 'broken_cache',
      headline: expect.stringContaining('It began with version 2.1.331 of the client'),
      fix: { title: 'Version 2.1.331 of the client is the cause, not your setup', files: [] },
    },
  ])
})

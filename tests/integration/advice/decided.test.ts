import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createAdviceHandlers } from '../../../src/main/operations/main/advice-handlers.ts'
import { adviceList } from '../../../src/main/operations/reader/advice.ts'
import type { CallContext } from '../../../src/main/dispatch/handlers.ts'
import { MINUTE_MS } from '../../../src/shared/time-units.ts'
import { temporaryFolder } from '../../support/store/folder.ts'
import { reading } from '../../support/store/reading.ts'
import { RATES } from '../../support/upstream/simulated-sessions.ts'
import { ToldMonths } from '../../support/upstream/told-months.ts'

const ALL: CallContext = { access: 'all' }

/** Sessions with a pause, a changed system prompt and a server that nothing calls, in a project that exists. */
async function wastefulMonth(project: string, days = 12) {
  const month = new ToldMonths()
  const work = async (count: number) => {
    for (let day = 0; day < count; day += 1) {
      const session = month.begin(project)
      session.conversation.tools.push(
        { name: 'mcp__idle__one', description: 'does one thing '.repeat(400) },
        { name: 'mcp__busy__one', description: 'does another '.repeat(10) },
      )
      await session.ask({ calls: 'mcp__busy__one' })
      for (let pause = 0; pause < 3; pause += 1) {
        month.wait(12 * MINUTE_MS)
        await session.ask()
      }
      session.conversation.system[1] += ' changed'
      await session.ask()
    }
  }
  await work(days)
  const list = () => reading(month.dbPath, (reader) => adviceList(reader, { evidence: 500 }))
  const handlers = createAdviceHandlers((async () => list()) as never, month.folder)
  const idOf = (kind: string) => list().items.find((item) => item.kind === kind)?.id ?? ''
  return { month, work, list, handlers, idOf }
}

const KINDS = ['pauses', 'broken_cache', 'carried_unused']

test('all fixes are applied to one file and undone in any order: its bytes are back', async () => {
  const project = temporaryFolder()
  const file = join(project, '.claude', 'settings.local.json')
  const before = '{\n\t"model": "opus",\n\t"permissions": { "allow": ["Bash(ls:*)"] }}'
  mkdirSync(dirname(file))
  writeFileSync(file, before)
  const { handlers, idOf, list } = await wastefulMonth(project)
  for (const order of [
    [0, 1, 2],
    [2, 0, 1],
    [1, 2, 0],
  ]) {
    for (const kind of KINDS) await handlers['advice.apply']({ id: idOf(kind) }, ALL)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      model: 'opus',
      permissions: { allow: ['Bash(ls:*)'], deny: ['mcp__idle'] },
      env: { ENABLE_PROMPT_CACHING_1H: '1', CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: '1' },
    })
    const { items } = list()
    expect(new Set(items.map(({ state }) => state))).toEqual(new Set(['applied']))
    // Each shows the change that its own undo takes back, and no excuse for having nothing to do.
    expect(items.map(({ fix }) => fix?.files.map(({ path }) => path))).toEqual([[file], [file], [file]])
    expect(items.flatMap(({ fix }) => fix?.steps.filter((step) => step.includes('already')))).toEqual([])
    for (const at of order) await handlers['advice.undo']({ id: idOf(KINDS[at] ?? '') }, ALL)
    expect(readFileSync(file, 'utf8')).toBe(before)
  }
})

test('a file that Aspy made is gone after the undo; one that was edited since keeps the edit, and says so', async () => {
  const project = temporaryFolder()
  const file = join(project, '.claude', 'settings.local.json')
  const { handlers, idOf, list } = await wastefulMonth(project)
  const id = idOf('pauses')
  await handlers['advice.apply']({ id }, ALL)
  expect(await handlers['advice.undo']({ id }, ALL)).toMatchObject({ note: null, item: { state: 'undone' } })
  expect(existsSync(dirname(file))).toBe(false)
  await handlers['advice.apply']({ id }, ALL)
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), model: 'haiku' }))
  const [shown] = list().items.filter((item) => item.id === id)
  expect(shown?.fix?.files.map(({ path }) => path)).toEqual([file])
  expect(await handlers['advice.undo']({ id }, ALL)).toMatchObject({ note: expect.stringContaining('edited since') })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ model: 'haiku' })
  await expect(handlers['advice.undo']({ id }, ALL)).rejects.toThrow('neither applied')
  await expect(handlers['advice.apply']({ id: 'pauses-0' }, ALL)).rejects.toThrow('no suggestion')
})

test('a dismissed suggestion comes back when its evidence has doubled, and not before', async () => {
  const { handlers, idOf, list, work } = await wastefulMonth(temporaryFolder(), 10)
  const id = idOf('pauses')
  const stateOf = () => list().items.find((item) => item.id === id)?.state
  expect(await handlers['advice.dismiss']({ id }, ALL)).toMatchObject({ item: { id, state: 'dismissed' } })
  await work(9)
  expect(stateOf()).toBe('dismissed')
  await work(1)
  expect(stateOf()).toBe('open')
})

test('a dismissed suggestion with more cases than are listed stays dismissed until they double', async () => {
  const { month, list, idOf } = await wastefulMonth(temporaryFolder(), 10)
  const id = idOf('pauses')
  const shown = list().items.map((item) => ({ ...item, evidence: item.evidence.slice(0, 5) }))
  const { hits } = shown.find((item) => item.id === id) ?? {}
  const handlers = createAdviceHandlers((async () => ({ items: shown })) as never, month.folder)
  await handlers['advice.dismiss']({ id }, ALL)
  expect([hits, list().items.find((item) => item.id === id)?.state]).toEqual([30, 'dismissed'])
})

test('small servers that were dismissed together stay so when others become small, too', async () => {
  const month = new ToldMonths()
  const work = async (...names: string[]) => {
    for (let day = 0; day < 12; day += 1) {
      const session = month.begin('/work/app')
      const tools = [...names.map((name) => `mcp__${name}__do`), 'mcp__busy__do']
      session.conversation.tools.push(...tools.map((name) => ({ name, description: 'does one thing '.repeat(6) })))
      await session.ask({ calls: 'mcp__busy__do' })
      for (let turn = 0; turn < 3; turn += 1) await session.ask()
    }
  }
  const list = () => reading(month.dbPath, (reader) => adviceList(reader, { evidence: 500 }))
  const found = () => list().items.map(({ state, servers }) => [state, servers])
  const handlers = createAdviceHandlers((async () => list()) as never, month.folder)
  const small = ['five', 'four', 'one', 'three', 'two']
  await work(...small)
  expect(found()).toEqual([['open', small]])
  await handlers['advice.dismiss']({ id: list().items[0]?.id ?? '' }, ALL)
  const more = ['ant', 'bee', 'cat', 'dog', 'eel', 'fox', 'gnu', 'hen', 'ibis', 'jay']
  await work(...more)
  expect(found().toSorted()).toEqual([
    ['dismissed', small],
    ['open', more],
  ])
})

test('what is set already is not suggested; if it happens still, that is said', async () => {
  const project = temporaryFolder()
  const { idOf, list } = await wastefulMonth(project, 10)
  const id = idOf('pauses')
  const file = join(project, '.claude', 'settings.json')
  mkdirSync(dirname(file))
  writeFileSync(file, JSON.stringify({ env: { ENABLE_PROMPT_CACHING_1H: '1' } }))
  const shown = () => list().items.find((item) => item.id === id)
  expect(shown()).toBeUndefined()
  utimesSync(file, new Date(0), new Date(0))
  expect(shown()?.fix).toMatchObject({ title: expect.stringMatching(/^Set already, /), files: [] })
})

test('a rule about a tool or an agent stands already if a line of CLAUDE.md says what the fix would', async () => {
  const project = temporaryFolder()
  const month = new ToldMonths()
  for (let day = 0; day < 12; day += 1) {
    const session = month.begin(project)
    await session.ask()
    const error = '<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>'
    await session.run('Edit', { file_path: `${project}/a${day}.py` }, error, { isError: true })
    await session.answer()
    const prompt = `Look at file ${day} of the project`
    await session.run('Agent', { subagent_type: 'Explore', description: 'Look', prompt }, 'It is there.')
    const agent = session.agent(prompt, 1500)
    await agent.run('Grep', { pattern: 'x' }, 'a.py', { agent: `agent-${day}` })
    await agent.answer({ agent: `agent-${day}` })
    await session.answer()
  }
  const titles = (rules: string) => {
    writeFileSync(join(project, 'CLAUDE.md'), rules)
    const { items } = reading(month.dbPath, (reader) => adviceList(reader, { evidence: 500 }))
    return Object.fromEntries(items.map(({ kind, fix }) => [kind, [fix?.title, fix?.steps[0]]]))
  }
  const others = titles('Edit no generated file.\nUse the Explore agent for searches.\nExplore first.\n')
  expect(others).toEqual({
    failing_command: ['Say in CLAUDE.md what Edit needs', expect.anything()],
    costly_agents: ['Give agent "Explore" larger tasks, or a cheaper model', expect.anything()],
  })
  const ruled = titles('- Always read a file before you edit it.\n- Use the Explore agent only for broad questions.\n')
  expect(ruled).toEqual({
    failing_command: [expect.stringContaining('stands already and is ignored'), expect.stringContaining('CLAUDE.md:1')],
    costly_agents: [expect.stringContaining('stands already and is ignored'), expect.stringContaining('CLAUDE.md:2')],
  })
})

test('what a model wasted before it kept its cache for an hour does not bring a dismissed suggestion back', async () => {
  const month = new ToldMonths()
  const project = temporaryFolder()
  const days = async (model: string, ttl: '5m' | '1h') => {
    for (let day = 0; day < 6; day += 1) {
      const session = month.begin(project)
      Object.assign(session.conversation, { model, ttl })
      await session.ask()
      for (let pause = 0; pause < 3; pause += 1) {
        month.wait(12 * MINUTE_MS)
        await session.ask()
      }
    }
  }
  await days('claude-opus-5-5', '5m')
  await days('claude-sonnet-5-5', '5m')
  await days('claude-opus-5-5', '1h')
  const found = () => reading(month.dbPath, (reader) => adviceList(reader, { evidence: 500 })).items
  const handlers = createAdviceHandlers((async () => ({ items: found() })) as never, month.folder)
  const [open] = found()
  expect(open?.evidence).toHaveLength(18)
  expect(open?.fix?.steps.at(-1)).toMatch(
    /^Not counted: 18 such pauses \(\$.*\), because claude-opus-5-5 now keeps its cache /,
  )
  // No figure jumps when it is applied or undone.
  await handlers['advice.apply']({ id: open?.id ?? '' }, ALL)
  expect(found()).toEqual([{ ...open, state: 'applied', fix: expect.anything() }])
  await handlers['advice.undo']({ id: open?.id ?? '' }, ALL)
  expect(found()).toEqual([{ ...open, state: 'undone' }])
  await handlers['advice.dismiss']({ id: open?.id ?? '' }, ALL)
  expect(found()).toEqual([{ ...open, state: 'dismissed' }])
})

test('an hour of cache is charged for its writes: returns in time do not make it free', async () => {
  const { month, handlers, idOf, list } = await wastefulMonth(temporaryFolder(), 10)
  const id = idOf('pauses')
  await handlers['advice.apply']({ id }, ALL)
  const decisions = join(month.folder, 'advice.json')
  const at = new Date(month.simulator.now).toISOString()
  writeFileSync(decisions, readFileSync(decisions, 'utf8').replace(/"at": "[^"]+"/, `"at": "${at}"`))
  const project = list().items.find((item) => item.id === id)?.scope.project ?? ''
  const charges: number[] = []
  for (let day = 0; day < 12; day += 1) {
    const session = month.begin(project)
    session.conversation.ttl = '1h'
    await session.ask()
    month.wait(30 * MINUTE_MS)
    const { written1h } = await session.ask()
    charges.push(written1h)
  }
  const { checked } = list().items.find((item) => item.id === id) ?? {}
  expect(charges).toHaveLength(12)
  // Nothing expired: all that is left is the higher price of what was written, first and after the pause.
  expect(checked?.after).toBeGreaterThan((Math.min(...charges) * (RATES.write1h - RATES.write5m)) / 1e6)
})

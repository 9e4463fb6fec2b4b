import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../src/main/config/load-config.ts'
import { settings } from '../../../src/main/config/settings.ts'
import { AspyError, ERROR_STATUS } from '../../../src/shared/contract/errors.ts'
import { OPERATIONS } from '../../../src/shared/contract/index.ts'
import type { Operation } from '../../../src/shared/contract/operation.ts'
import { ask } from '../../support/app/ask.ts'
import { ASPY_ENTRY } from '../../support/app/aspy-command.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { runs, SEED } from '../../support/runner/heavy.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { damagedText, hostileObject, hostileValue } from '../../support/security/hostile-values.ts'
import { seeded } from '../../support/store/history.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

// Whatever comes in at a door: an answer, in time, with an error that says what is wrong, and an app that keeps
// working.

const CALLS = runs(600, 60_000)
const MCP_CALLS = runs(160, 20_000)
const HOOKS = runs(120, 20_000)
const CONFIGS = runs(600, 100_000)
/** An answer that takes longer is a hang. */
const ANSWER_MS = 60_000

let upstream: MessagesUpstream
let folder: TempFolder
let app: TestApp
const keyOf = (name: string) => readFileSync(join(folder.path, name), 'utf8').trim()

beforeAll(async () => {
  folder = makeTempFolder()
  upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'Take the solarized theme.' }] }))
  app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await app.recorderRuns()
  await (await ask(app.proxy, { prompt: 'Which theme?', session: 's-fuzz' })).text()
  await until('it is recorded', async () => (await app.count({ kind: 'model_response' })) === 1)
})
afterAll(async () => {
  await app?.close()
  await upstream?.close()
  folder?.remove()
})

/** Posts a body. Returns status and text; fails if no answer comes in time. */
async function post(path: string, key: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(app.app + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${keyOf(key)}`, 'content-type': 'application/json', ...headers },
    body,
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  return { status: response.status, text: await response.text() }
}

/** JSON as a caller may send it: mostly whole, sometimes damaged. */
function jsonOf(random: () => number, value: unknown): string {
  const json = JSON.stringify(value) ?? 'null'
  return random() < 0.15 ? damagedText(random, json) : json
}

describe('fuzzing', () => {
  const reading: readonly Operation[] = OPERATIONS.filter(({ writes, answer }) => !writes && answer === 'value')

  test('every reading operation answers or says what is wrong with its input', { timeout: 3_600_000 }, async () => {
    const random = seeded(SEED)
    const seen = new Set<number>()
    for (let n = 0; n < CALLS; n += 1) {
      const operation = reading[n % reading.length]
      if (operation === undefined) throw new Error('no operation reads')
      const fields = 'shape' in operation.input ? Object.keys(operation.input.shape as object) : []
      const input = random() < 0.1 ? hostileValue(random) : hostileObject(random, [...fields, ...fields, 'zzz'])
      const body = jsonOf(random, input)
      const { status, text: answer } = await post(`/api/${operation.name}`, 'token', body)
      const said = `${operation.name} ${body.slice(0, 500)}: ${status} ${answer.slice(0, 300)}`
      seen.add(status)
      if (status === 200) continue
      const { error } = JSON.parse(answer) as { error: { code: keyof typeof ERROR_STATUS; message: string } }
      expect(ERROR_STATUS[error.code], said).toBe(status)
      expect(status, said).toBeLessThan(500)
      expect(error.message.length, said).toBeGreaterThan(10)
      expect(error.message, said).not.toMatch(/SQLITE|at \w+ \(|undefined|is not a function|TypeError|RangeError/)
    }
    expect([...seen]).toEqual(expect.arrayContaining([200, 400]))
  })

  const tools = OPERATIONS.flatMap((operation: Operation) => (operation.mcp === undefined ? [] : [operation.mcp.name]))

  /** A JSON-RPC message, or something near one. */
  function mcpMessage(random: () => number, id: number): string {
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
    const methods = ['initialize', 'tools/list', 'tools/call', 'tools/call', 'tools/call', 'ping', 'resources/list', '']
    const fields = ['query', 'session_id', 'limit', 'offset', 'budget', 'since', 'kinds', 'ids', 'format', 'project']
    const call = { name: random() < 0.9 ? pick(tools) : hostileValue(random), arguments: hostileObject(random, fields) }
    const whole = {
      jsonrpc: '2.0',
      id,
      method: random() < 0.95 ? pick(methods) : hostileValue(random),
      params: random() < 0.7 ? call : hostileValue(random),
    }
    if (random() < 0.05) return jsonOf(random, hostileValue(random))
    if (random() < 0.05) return jsonOf(random, [whole, whole])
    return jsonOf(random, whole).replaceAll('\n', ' ')
  }

  test('MCP over HTTP answers whatever it is sent', { timeout: 3_600_000 }, async () => {
    const random = seeded(SEED + 1)
    const headers = {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    }
    const seen = new Set<number>()
    for (let n = 0; n < MCP_CALLS; n += 1) {
      const message = mcpMessage(random, n + 1)
      const { status, text: answer } = await post('/mcp', 'mcp', message, headers)
      seen.add(status)
      expect(status, `${message.slice(0, 500)}: ${answer.slice(0, 300)}`).toBeLessThan(500)
      expect(answer, message.slice(0, 500)).not.toMatch(/SQLITE_|at \w+ \(|is not a function/)
    }
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    const { status, text: answer } = await post('/mcp', 'mcp', list, headers)
    expect(status).toBe(200)
    for (const tool of tools) expect(answer).toContain(tool)
    expect(seen.has(200)).toBe(true)
  })

  test('MCP over stdio survives whatever it is sent, and then answers', { timeout: 3_600_000 }, async () => {
    const random = seeded(SEED + 2)
    const child = spawn(process.execPath, [ASPY_ENTRY, 'mcp', '--data', folder.path], {
      env: { PATH: process.env['PATH'] ?? '', HOME: folder.path },
    })
    const stderr = text(child.stderr)
    const ended = once(child, 'close')
    const answers: string[] = []
    createInterface({ input: child.stdout }).on('line', (line) => answers.push(line))
    const write = (line: string) =>
      child.stdin.write(`${line}\n`) ? Promise.resolve() : once(child.stdin, 'drain').then(() => undefined)
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } }
    await write(JSON.stringify({ jsonrpc: '2.0', id: 'first', method: 'initialize', params }))
    await write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    for (let n = 0; n < MCP_CALLS; n += 1) await write(mcpMessage(random, n))
    await write(JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'tools/list', params: {} }))
    const answerTo = (id: string) => answers.find((line) => line.includes(`"id":"${id}"`))
    await until('the last is answered', () => Promise.resolve(answerTo('last') !== undefined), ANSWER_MS * 5)
    for (const tool of tools) expect(answerTo('last')).toContain(tool)
    for (const line of answers) expect(() => JSON.parse(line) as unknown).not.toThrow()
    child.stdin.end()
    expect((await ended)[0]).toBe(0)
    expect(await stderr).not.toMatch(/\n\s+at .*\.(?:ts|js):\d+/)
  })

  test('hooks are taken or refused, and counted', { timeout: 3_600_000 }, async () => {
    const random = seeded(SEED + 3)
    const names = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SubagentStop', 'Odd']
    const fields = ['prompt', 'tool_name', 'tool_input', 'tool_response', 'tool_use_id', 'cwd', 'source', 'agent_id']
    for (let n = 0; n < HOOKS; n += 1) {
      const named = { hook_event_name: names[n % names.length], session_id: `fuzz-${n % 5}` }
      const hook = { ...(random() < 0.9 ? named : {}), ...hostileObject(random, [...fields, ...fields, 'session_id']) }
      const body = jsonOf(random, hook)
      const { status } = await post('/api/hooks', 'hooks', body)
      expect([200, 400], `${body.slice(0, 500)}: ${status}`).toContain(status)
    }
    const last = { hook_event_name: 'SessionEnd', session_id: 'fuzz-last', reason: 'exit' }
    expect((await post('/api/hooks', 'hooks', JSON.stringify(last))).status).toBe(200)
    await until('the last hook is recorded', async () => (await app.count({ session_id: 'fuzz-last' })) > 0)
    const health = await app.running.health()
    expect(health.recorder_restarts).toBe(0)
    expect(Object.keys(health.dropped).filter((reason) => reason !== 'decode_failed')).toEqual([])
  })

  test('a config file is taken, or refused with its name and what is wrong', { timeout: 3_600_000 }, () => {
    using place = makeTempFolder()
    const file = join(place.path, 'config.toml')
    const random = seeded(SEED + 4)
    const sections = new Map<string, string[]>()
    for (const { section, name } of settings) sections.set(section, [...(sections.get(section) ?? []), name])
    let taken = 0
    const refusals: { readonly error: unknown; readonly said: string }[] = []
    for (let n = 0; n < CONFIGS; n += 1) {
      const lines = [...sections].flatMap(([section, names]) => {
        if (random() < 0.7) return []
        const keys = names.flatMap((name) => (random() < 0.3 ? [`${name} = ${tomlOf(random)}`] : []))
        return [`[${section}]`, ...keys]
      })
      writeFileSync(file, damagedText(random, `${lines.join('\n')}\n`), { mode: 0o600 })
      const error = refusalOf(file)
      if (error === null) taken += 1
      else refusals.push({ error, said: readFileSync(file, 'utf8').slice(0, 800) })
    }
    for (const { error, said } of refusals) {
      expect(error, said).toBeInstanceOf(AspyError)
      expect((error as AspyError).code, said).toBe('bad_input')
      expect((error as AspyError).message, said).toContain('config.toml')
      expect((error as AspyError).message, said).not.toMatch(/is not a function|Cannot read|undefined/)
    }
    expect(taken).toBeGreaterThan(CONFIGS / 200)
    expect(refusals.length).toBeGreaterThan(CONFIGS / 2)
  })

  test('and the app still records', async () => {
    const before = await app.count({ kind: 'model_response' })
    await (await ask(app.proxy, { prompt: 'And which font?', session: 's-fuzz' })).text()
    await until('it is recorded', async () => (await app.count({ kind: 'model_response' })) === before + 1)
  })
})

/** The error with which a config file is refused, or null. */
function refusalOf(file: string): unknown {
  try {
    loadConfig({ file })
    return null
  } catch (error) {
    return error
  }
}

function tomlOf(random: () => number): string {
  const value = hostileValue(random)
  if (typeof value === 'string') return random() < 0.5 ? JSON.stringify(value) : `'${value}'`
  if (value === null) return 'nan'
  return Array.isArray(value) ? JSON.stringify(value) : typeof value === 'object' ? '{ a = 1 }' : String(value)
}

/**
 * Maximum age of an answer that a kill would lose: three clients ask without pause, alongside 0 or 20 busy processes,
 * for 20 seconds each.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ask } from '../support/app/ask.ts'
import { startAspy } from '../support/app/aspy-command.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { lastUserText, startMessagesUpstream } from '../support/upstream/messages-upstream.ts'

const LASTS_MS = 20_000
const CLIENTS = 3

interface Lag {
  readonly recorder_lag_ms: number
  readonly recorder_lag_p50_ms: number | null
  readonly recorder_lag_p99_ms: number | null
  readonly exchanges_recorded: number
}

async function measure(load: number): Promise<object> {
  using folder = makeTempFolder()
  const upstream = await startMessagesUpstream((request) => ({
    steps: [{ text: `Answer to ${lastUserText(request.body)}` }],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
  const flags = ['--port', '0', '--proxy-port', '0', '--upstream', upstream.url, '--data', folder.path]
  const { child, firstLine, finished } = startAspy(['serve', '--json', ...flags])
  const { proxy, app } = JSON.parse(await firstLine) as { readonly proxy: string; readonly app: string }
  const token = readFileSync(join(folder.path, 'token'), 'utf8').trim()
  const health = async (): Promise<Lag> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const response = await fetch(`${app}/api/health.get`, { method: 'POST', headers, body: '{}' })
    return (await response.json()) as Lag
  }
  const spinners = Array.from({ length: load }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  const end = performance.now() + LASTS_MS
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let n = 0; performance.now() < end; n += 1) {
      await (await ask(proxy, { prompt: `question ${client}-${n}.`, session: `session-${client}` })).text()
      await pause(20)
    }
  })
  let longest = 0
  while (performance.now() < end) {
    longest = Math.max(longest, (await health()).recorder_lag_ms)
    await pause(250)
  }
  const last = await health()
  for (const spinner of spinners) spinner.kill('SIGKILL')
  await Promise.all(clients)
  child.kill('SIGTERM')
  await finished
  await upstream.close()
  const { recorder_lag_p50_ms: p50_ms, recorder_lag_p99_ms: p99_ms, exchanges_recorded: exchanges } = last
  return { load, exchanges, p50_ms, p99_ms, longest_shown_ms: longest }
}

for (const load of [0, 20]) process.stdout.write(`${JSON.stringify(await measure(load))}\n`)

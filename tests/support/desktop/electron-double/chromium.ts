import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { findChromium } from '../../window/chromium.ts'

export type CdpEvent = {
  readonly method: string
  readonly params: Record<string, unknown>
  readonly sessionId?: string
}

/** A Chromium driven over a DevTools pipe. */
export interface Chromium {
  send(method: string, params?: object, sessionId?: string): Promise<Record<string, unknown>>
  onEvent(listener: (event: CdpEvent) => void): void
  close(): Promise<void>
}

/** Starts headless Chromium; its line `DevTools listening on …` goes to stderr, where Playwright waits for it. */
export async function startChromium(): Promise<Chromium> {
  // Below the data, so that it goes with them where the app is killed.
  const profile = mkdtempSync(
    join(existsSync(process.env['ASPY_DATA'] ?? '') ? (process.env['ASPY_DATA'] ?? '') : tmpdir(), 'chromium-'),
  )
  const executable = findChromium()
  if (executable === null)
    throw new Error('electron (test double): no Chromium found; install one or set ASPY_CHROMIUM')
  const child = spawn(
    executable,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--no-startup-window',
      '--remote-debugging-port=0',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] },
  )
  child.stderr?.on('data', (text: Buffer) => {
    for (const line of text.toString().split('\n'))
      if (line.startsWith('DevTools listening')) process.stderr.write(`${line}\n`)
  })
  const chromium = connect(child, profile)
  await chromium.send('Browser.getVersion')
  return chromium
}

function connect(child: ChildProcess, profile: string): Chromium {
  const output = child.stdio[3] as Writable
  const input = child.stdio[4] as Readable
  const waiting = new Map<number, { resolve(value: Record<string, unknown>): void; reject(error: Error): void }>()
  const listeners: ((event: CdpEvent) => void)[] = []
  let last = 0
  let pending = ''
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  void gone.then(() => {
    for (const { reject } of waiting.values()) reject(new Error('electron (test double): Chromium is gone'))
    waiting.clear()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })

  function receive(text: string): void {
    const message = JSON.parse(text) as CdpEvent & {
      id?: number
      result?: Record<string, unknown>
      error?: { message: string }
    }
    if (message.id === undefined) {
      for (const listener of listeners) listener(message)
      return
    }
    const caller = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.error !== undefined) caller?.reject(new Error(message.error.message))
    else caller?.resolve(message.result ?? {})
  }

  input.setEncoding('utf8')
  input.on('data', (piece: string) => {
    const parts = (pending + piece).split('\0')
    pending = parts.pop() ?? ''
    for (const part of parts) receive(part)
  })
  // The pipe breaks when Chromium ends; callers learn of it through `gone`.
  output.on('error', () => child.kill())

  return {
    send(method, params = {}, sessionId) {
      last += 1
      const id = last
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        output.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`)
      })
    },
    onEvent: (listener) => void listeners.push(listener),
    async close() {
      child.kill()
      await gone
    },
  }
}

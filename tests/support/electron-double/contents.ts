import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import type { CdpEvent, Chromium } from './chromium.ts'
import { decodeValue, encodeValue } from './ipc.ts'
import { fromChromium, toChromium } from './protocol.ts'
import { isolatedWorld, mainWorld } from './worlds.ts'

const WORLD = 'Electron Isolated Context'
const BINDING = '__electronDoublePost'

interface IpcMainLike extends EventEmitter {
  readonly handlers: Map<string, (event: unknown, ...args: unknown[]) => unknown>
}
interface FromPage {
  readonly type: 'invoke' | 'send'
  readonly invocation?: number
  readonly channel: string
  readonly args: readonly string[]
}
interface Frame {
  readonly url: string
  readonly parent: Frame | null
}

const living = new Map<number, DoubleContents>()
let lastId = 0

export const allContents = (): DoubleContents[] => [...living.values()]

/** `webContents`: one page of Chromium, its preload in an isolated world, its frames as the app sees them. */
export class DoubleContents extends EventEmitter {
  readonly id: number
  targetId = ''
  readonly #chromium: Chromium
  readonly #ipcMain: IpcMainLike
  #session = ''
  #destroyed = false
  readonly #ready: Promise<void>
  readonly #frames = new Map<string, { url: string; parentId: string | null }>()
  readonly #worlds = new Map<number, string>()
  #openHandler: (details: { url: string }) => { action: string } = () => ({ action: 'deny' })

  constructor(
    chromium: Chromium,
    options: { width?: number; height?: number; webPreferences?: Record<string, unknown> },
    ipcMain: IpcMainLike,
  ) {
    super()
    lastId += 1
    this.id = lastId
    this.#chromium = chromium
    this.#ipcMain = ipcMain
    living.set(this.id, this)
    chromium.onEvent((event) => this.#receive(event))
    this.#ready = this.#open(options)
  }

  async #open(options: { width?: number; height?: number; webPreferences?: Record<string, unknown> }): Promise<void> {
    const preferences = options.webPreferences ?? {}
    if (
      preferences['sandbox'] !== true ||
      preferences['contextIsolation'] === false ||
      preferences['nodeIntegration'] === true
    ) {
      throw new Error('electron (test double): only sandboxed, isolated windows without Node are known')
    }
    const { targetId } = await this.#chromium.send('Target.createTarget', {
      url: 'about:blank',
      newWindow: true,
      width: options.width ?? 800,
      height: options.height ?? 600,
    })
    this.targetId = String(targetId)
    const attached = await this.#chromium.send('Target.attachToTarget', { targetId: this.targetId, flatten: true })
    this.#session = String(attached['sessionId'])
    await this.#send('Page.enable')
    await this.#send('Runtime.enable')
    await this.#send('Runtime.addBinding', { name: BINDING, executionContextName: WORLD })
    await this.#send('Page.addScriptToEvaluateOnNewDocument', { source: mainWorld })
    const preload = preferences['preload']
    if (typeof preload === 'string') {
      const source = isolatedWorld(BINDING, readFileSync(preload, 'utf8'))
      await this.#send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: WORLD })
    }
    await this.#chromium.send('Target.setDiscoverTargets', { discover: true })
  }

  #send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    return this.#chromium.send(method, params, this.#session)
  }

  #receive(event: CdpEvent): void {
    const params = event.params
    if (event.method === 'Target.targetDestroyed' && params['targetId'] === this.targetId && this.targetId !== '')
      return this.#die()
    if (event.sessionId !== this.#session || this.#session === '') return
    switch (event.method) {
      case 'Page.frameNavigated': {
        const frame = params['frame'] as { id: string; url: string; parentId?: string }
        this.#frames.set(frame.id, { url: fromChromium(frame.url), parentId: frame.parentId ?? null })
        this.emit('did-start-navigation', { isMainFrame: frame.parentId === undefined, isSameDocument: false })
        return
      }
      case 'Runtime.executionContextCreated': {
        const context = params['context'] as { id: number; name: string; auxData: { frameId: string } }
        if (context.name === WORLD) this.#worlds.set(context.id, context.auxData.frameId)
        return
      }
      case 'Runtime.executionContextDestroyed':
        this.#worlds.delete(Number(params['executionContextId']))
        return
      case 'Page.loadEventFired':
        this.emit('did-finish-load')
        return
      case 'Runtime.bindingCalled':
        if (params['name'] === BINDING)
          void this.#fromPage(JSON.parse(String(params['payload'])) as FromPage, Number(params['executionContextId']))
        return
      default:
    }
  }

  #frame(id: string | undefined): Frame | null {
    const known = id === undefined ? undefined : this.#frames.get(id)
    return known === undefined
      ? null
      : { url: known.url, parent: known.parentId === null ? null : this.#frame(known.parentId) }
  }

  async #fromPage(message: FromPage, context: number): Promise<void> {
    const event = { sender: this, senderFrame: this.#frame(this.#worlds.get(context)) }
    const args = message.args.map(decodeValue)
    if (message.type === 'send') {
      this.#ipcMain.emit(message.channel, event, ...args)
      return
    }
    let reply: { invocation: number | undefined; value?: string; error?: string }
    try {
      const handler = this.#ipcMain.handlers.get(message.channel)
      if (handler === undefined) throw new Error(`No handler registered for '${message.channel}'`)
      reply = { invocation: message.invocation, value: encodeValue(await handler(event, ...args)) }
    } catch (error) {
      reply = {
        invocation: message.invocation,
        error: `Error invoking remote method '${message.channel}': ${String(error)}`,
      }
    }
    await this.#toPage(reply, context)
  }

  async #toPage(message: object, context: number): Promise<void> {
    const expression = `__electronDoubleReceive(${JSON.stringify(JSON.stringify(message))})`
    try {
      await this.#send('Runtime.evaluate', { expression, contextId: context })
    } catch (error) {
      // The page may be gone by now, as in Electron; anything else is the double's own fault.
      if (this.#worlds.has(context) && !this.#destroyed) throw error
    }
  }

  send(channel: string, ...args: unknown[]): void {
    const message = { type: 'event', channel, args: args.map(encodeValue) }
    for (const [context, frame] of this.#worlds) {
      if (this.#frames.get(frame)?.parentId === null) void this.#toPage(message, context)
    }
  }

  async loadURL(url: string): Promise<void> {
    await this.#ready
    const loaded = new Promise<void>((resolve) => this.once('did-finish-load', () => resolve()))
    const answer = await this.#send('Page.navigate', { url: await toChromium(url) })
    if (typeof answer['errorText'] === 'string') throw new Error(`${answer['errorText']} loading '${url}'`)
    await loaded
  }

  getURL(): string {
    return [...this.#frames.values()].find((frame) => frame.parentId === null)?.url ?? ''
  }
  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.#openHandler = handler
  }
  /** What the app's handler says to a page that opens a window. */
  askToOpen(url: string): { action: string } {
    return this.#openHandler({ url })
  }
  isDestroyed(): boolean {
    return this.#destroyed
  }
  async close(): Promise<void> {
    await this.#ready
    if (this.#destroyed) return
    const gone = new Promise((resolve) => this.once('destroyed', resolve))
    await this.#chromium.send('Target.closeTarget', { targetId: this.targetId })
    await gone
  }
  #die(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    living.delete(this.id)
    this.emit('destroyed')
  }
}

export function createContents(
  chromium: Chromium,
  options: { width?: number; height?: number; webPreferences?: Record<string, unknown> },
  ipcMain: IpcMainLike,
): DoubleContents {
  return new DoubleContents(chromium, options, ipcMain)
}

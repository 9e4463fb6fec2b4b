import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import type { CdpEvent, Chromium } from './chromium.ts'
import { decodeValue, encodeValue } from './ipc.ts'
import { fromChromium, toChromium } from './protocol.ts'
import { mayLoad } from './session.ts'
import { isolatedWorld, mainWorld } from './worlds.ts'

const WORLD = 'Electron Isolated Context'
const BINDING = '__electronDoublePost'
const OPEN = '__electronDoubleOpen'

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

/** Rights that Chromium knows, as Electron calls them and as DevTools does. */
const RIGHTS = {
  geolocation: 'geolocation',
  notifications: 'notifications',
  'clipboard-read': 'clipboard-read',
  'clipboard-sanitized-write': 'clipboard-sanitized-write',
  midi: 'midi',
} as const
type MayHave = (permission: string, url: string) => boolean
interface PageOptions {
  readonly width?: number
  readonly height?: number
  readonly webPreferences?: Record<string, unknown>
}

const living = new Map<number, DoubleContents>()
let lastId = 0

export const allContents = (): DoubleContents[] => [...living.values()]

/** `webContents`: one page of Chromium, its preload in an isolated world, its frames as the app sees them. */
export class DoubleContents extends EventEmitter {
  readonly id: number
  targetId = ''
  #chromium: Chromium | null = null
  readonly #mayHave: MayHave
  /** Addresses that the app itself asked for: nobody is asked about these. */
  readonly #expected = new Set<string>()
  /** Windows that the page opened and the app did not refuse. */
  readonly opened: string[] = []
  readonly #ipcMain: IpcMainLike
  #session = ''
  #destroyed = false
  readonly #ready: Promise<void>
  readonly #frames = new Map<string, { url: string; parentId: string | null }>()
  readonly #worlds = new Map<number, string>()
  /** As in Electron, a page without a handler may open windows. */
  #openHandler: (details: { url: string }) => { action: string } = () => ({ action: 'allow' })

  constructor(chromium: Promise<Chromium>, options: PageOptions, ipcMain: IpcMainLike, mayHave: MayHave) {
    super()
    lastId += 1
    this.id = lastId
    this.#ipcMain = ipcMain
    this.#mayHave = mayHave
    living.set(this.id, this)
    this.#ready = chromium.then((started) => this.#open(started, options))
  }

  async #open(chromium: Chromium, options: PageOptions): Promise<void> {
    this.#chromium = chromium
    chromium.onEvent((event) => this.#receive(event))
    const preferences = options.webPreferences ?? {}
    if (
      preferences['sandbox'] !== true ||
      preferences['contextIsolation'] === false ||
      preferences['nodeIntegration'] === true
    ) {
      throw new Error('electron (test double): only sandboxed, isolated windows without Node are known')
    }
    const { targetId } = await chromium.send('Target.createTarget', {
      url: 'about:blank',
      newWindow: true,
      width: options.width ?? 800,
      height: options.height ?? 600,
    })
    this.targetId = String(targetId)
    const attached = await chromium.send('Target.attachToTarget', { targetId: this.targetId, flatten: true })
    this.#session = String(attached['sessionId'])
    await this.#send('Page.enable')
    await this.#send('Runtime.enable')
    await this.#send('Inspector.enable')
    await this.#send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
    await this.#send('Runtime.addBinding', { name: BINDING, executionContextName: WORLD })
    await this.#send('Runtime.addBinding', { name: OPEN })
    await this.#send('Page.addScriptToEvaluateOnNewDocument', { source: mainWorld(OPEN) })
    const preload = preferences['preload']
    if (typeof preload === 'string') {
      const source = isolatedWorld(BINDING, readFileSync(preload, 'utf8'))
      await this.#send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: WORLD })
    }
    await chromium.send('Target.setDiscoverTargets', { discover: true })
  }

  #send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    if (this.#chromium === null) throw new Error('electron (test double): a page before its browser')
    return this.#chromium.send(method, params, this.#session)
  }

  /** The address about to be loaded: the app may refuse it, and where a page or a frame goes. */
  async #admit(params: Record<string, unknown>): Promise<void> {
    const { requestId, resourceType, frameId } = params as { requestId: string; resourceType: string; frameId: string }
    const asked = (params['request'] as { url: string }).url
    const url = fromChromium(asked)
    const isOfApp = this.#expected.delete(asked)
    if (resourceType === 'Document' && !isOfApp && !this.#mayGo(url, frameId)) {
      await this.#send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
    } else if (mayLoad(url)) await this.#send('Fetch.continueRequest', { requestId })
    else await this.#send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
  }

  #mayGo(url: string, frameId: string): boolean {
    const isMainFrame = (this.#frames.get(frameId)?.parentId ?? null) === null
    const event = {
      url,
      isMainFrame,
      isSameDocument: false,
      defaultPrevented: false,
      preventDefault: () => void (event.defaultPrevented = true),
    }
    if (isMainFrame) this.emit('will-navigate', event)
    this.emit('will-frame-navigate', event)
    return !event.defaultPrevented
  }

  async #grantRights(address: string): Promise<void> {
    const { origin } = new URL(address)
    const url = fromChromium(address)
    for (const [permission, name] of Object.entries(RIGHTS)) {
      const setting = this.#mayHave(permission, url) ? 'granted' : 'denied'
      const descriptor = name === 'clipboard-sanitized-write' ? { name: 'clipboard-write' } : { name }
      await this.#chromium?.send('Browser.setPermission', { permission: descriptor, setting, origin })
    }
  }

  /** The page asks for a window. None is ever shown here: what was not refused is kept, for specs to see. */
  #askedForWindow(address: string): void {
    const url = fromChromium(address)
    if (this.#openHandler({ url }).action !== 'deny') this.opened.push(url)
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
      case 'Fetch.requestPaused':
        // A page that closes takes its requests with it.
        void this.#admit(params).catch((error: unknown) => {
          if (!this.#destroyed) process.stderr.write(`electron (test double): ${String(error)}\n`)
        })
        return
      case 'Inspector.targetCrashed':
        this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 })
        return
      case 'Page.loadEventFired':
        this.emit('did-finish-load')
        return
      case 'Runtime.bindingCalled':
        if (params['name'] === OPEN) this.#askedForWindow(String(params['payload']))
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
      // The page may have closed by now, as in Electron; anything else is the double's own fault.
      const isGone = error instanceof Error && /context|navigated|closed|gone/i.test(error.message)
      if (!isGone && !this.#destroyed) throw error
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
    const address = await toChromium(url)
    await this.#grantRights(address)
    this.#expected.add(address.replace(/#.*/, ''))
    const answer = await this.#send('Page.navigate', { url: address })
    if (typeof answer['errorText'] === 'string') throw new Error(`${answer['errorText']} loading '${url}'`)
    await loaded
  }
  reload(): void {
    void this.loadURL(this.getURL())
  }

  getURL(): string {
    return [...this.#frames.values()].find((frame) => frame.parentId === null)?.url ?? ''
  }
  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.#openHandler = handler
  }
  isDestroyed(): boolean {
    return this.#destroyed
  }
  async close(): Promise<void> {
    await this.#ready
    if (this.#destroyed) return
    const gone = new Promise((resolve) => this.once('destroyed', resolve))
    await this.#chromium?.send('Target.closeTarget', { targetId: this.targetId })
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
  chromium: Promise<Chromium>,
  options: PageOptions,
  ipcMain: IpcMainLike,
  mayHave: MayHave,
): DoubleContents {
  return new DoubleContents(chromium, options, ipcMain, mayHave)
}

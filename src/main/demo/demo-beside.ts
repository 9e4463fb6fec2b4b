import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'

/** The part of an app that a demo needs. */
export interface DemoApp {
  start(): Promise<{ readonly app: string; readonly token: string }>
  stop(): Promise<void>
}

/** A demo next to the app, started once, on request. It has its own folder, ports and threads. */
export class DemoBeside {
  readonly #create: (dataDir: string) => DemoApp
  #folder: string | null = null
  #app: DemoApp | null = null
  #link: Promise<string> | null = null
  #isClosed = false

  /** `create` builds an app over a data folder. */
  constructor(create: (dataDir: string) => DemoApp) {
    this.#create = create
  }

  /** Returns the link to the demo, signed in. Starts it at the first call, and again after a failure. */
  async open(): Promise<{ readonly link: string }> {
    if (this.#isClosed) throw new AspyError('conflict', 'Aspy is stopping')
    this.#link ??= this.#start()
    return { link: await this.#link }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#link?.catch(() => undefined)
    await this.#remove()
  }

  async #start(): Promise<string> {
    try {
      this.#folder = mkdtempSync(join(tmpdir(), 'aspy-demo-'))
      this.#app = this.#create(this.#folder)
      const { app, token } = await this.#app.start()
      return `${app}/#key=${token}`
    } catch (error) {
      this.#link = null
      await this.#remove()
      throw error
    }
  }

  async #remove(): Promise<void> {
    const [app, folder] = [this.#app, this.#folder]
    this.#app = null
    this.#folder = null
    await app?.stop()
    if (folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

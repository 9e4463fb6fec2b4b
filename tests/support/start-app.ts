import { join } from 'node:path'
import pino from 'pino'
import { createApp, type App, type AppOptions, type StartedApp } from '../../src/main/app.ts'
import { loadConfig } from '../../src/main/config/load-config.ts'
import { makeTempFolder, type TempFolder } from './temp-folder.ts'

/** The whole app, running in this process on free ports over a folder of its own. */
export interface TestApp extends StartedApp, AsyncDisposable {
  readonly running: App
  /** Calls an operation through the dispatch, as a surface would. */
  call<T = Record<string, unknown>>(name: string, input?: unknown): Promise<T>
  /** The link that opens the window signed in. */
  readonly link: string
  close(): Promise<void>
}

export interface TestAppOptions {
  readonly upstream: string
  /** Kept after the test where given. */
  readonly dataDir?: string
  /** By `section.key`. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Left out: the app leaves Claude Code alone. */
  readonly claudeCode?: AppOptions['claudeCode']
  readonly isDemo?: boolean
}

export async function startApp({
  upstream,
  dataDir,
  settings = {},
  claudeCode,
  isDemo,
}: TestAppOptions): Promise<TestApp> {
  const folder: TempFolder | null = dataDir === undefined ? makeTempFolder('aspy-data-') : null
  const data = dataDir ?? folder?.path ?? ''
  const config = loadConfig({
    file: join(data, 'config.toml'),
    flags: { 'proxy.port': 0, 'app.port': 0, 'proxy.upstream': upstream, ...settings },
  })
  const running = createApp({
    dataDir: data,
    config,
    version: '0.0.0-test',
    windowDir: join(import.meta.dirname, '../../out/renderer'),
    logger: pino({ level: process.env['ASPY_TEST_LOG'] ?? 'silent' }),
    ...(claudeCode === undefined ? {} : { claudeCode }),
    ...(isDemo === undefined ? {} : { isDemo }),
  })
  const started = await running.start()
  const close = async () => {
    await running.stop()
    folder?.remove()
  }
  return {
    ...started,
    running,
    link: `${started.app}/#key=${started.token}`,
    async call<T>(name: string, input: unknown = {}) {
      const bytes = await running.dispatch.call(name, input, { access: 'all' })
      return JSON.parse(new TextDecoder().decode(bytes)) as T
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

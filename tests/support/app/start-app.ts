import { join } from 'node:path'
import pino from 'pino'
import { createApp, type App, type AppOptions, type StartedApp } from '../../../src/main/app.ts'
import { callOperation } from '../../../src/main/dispatch/call-operation.ts'
import { loadConfig } from '../../../src/main/config/load-config.ts'
import type { OperationInput } from '../../../src/shared/contract/index.ts'
import { makeTempFolder, type TempFolder } from '../runner/temp-folder.ts'
import { until } from '../runner/until.ts'

/** The whole app, running in this process on free ports over a separate folder. */
export interface TestApp extends StartedApp, AsyncDisposable {
  readonly running: App
  /** Calls an operation through the dispatch, as a surface would. */
  call<T = Record<string, unknown>>(name: string, input?: unknown): Promise<T>
  /** Runs an operation that answers in batches to its end; all of them, in order. */
  run<T = Record<string, unknown>>(name: string, input?: unknown): Promise<readonly T[]>
  /** Number of events, optionally of a kind, a session … */
  count(of?: OperationInput<'events.count'>): Promise<number>
  /** Waits until the recorder runs: again, where it was restarted. */
  recorderRuns(): Promise<void>
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
  readonly isForCommand?: boolean
  /** Left out: as people have it. */
  readonly undo?: AppOptions['undo']
}

export async function startApp({
  upstream,
  dataDir,
  settings = {},
  claudeCode,
  isDemo,
  isForCommand = false,
  undo,
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
    windowDir: join(import.meta.dirname, '../../../out/renderer'),
    logger: pino({ level: process.env['ASPY_TEST_LOG'] ?? 'silent' }),
    isForCommand,
    // Tests wait for what reaches a team; `team/sending.test.ts` tests the wait itself.
    teamHoldMs: 100,
    ...(claudeCode === undefined ? {} : { claudeCode }),
    ...(isDemo === true ? { leaveDemo: () => null } : {}),
    ...(undo === undefined ? {} : { undo }),
  })
  const started = await running.start()
  const close = async () => {
    await running.stop()
    folder?.remove()
  }
  const parsed = (json: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(json))
  const { dispatch } = running
  return {
    ...started,
    running,
    link: `${started.app}/#key=${started.token}`,
    async call<T>(name: string, input: unknown = {}) {
      return parsed(await dispatch.call(name, input, { access: 'all' })) as T
    },
    async run<T>(name: string, input: unknown = {}) {
      const batches: T[] = []
      const { signal } = new AbortController()
      for await (const { json } of dispatch.stream(name, input, { access: 'all' }, signal))
        batches.push(parsed(json) as T)
      return batches
    },
    count: async (of = {}) => (await callOperation(dispatch, 'events.count', of, { access: 'all' })).count,
    recorderRuns: () => until('the recorder runs', async () => (await running.health()).recorder === 'running'),
    close,
    [Symbol.asyncDispose]: close,
  }
}

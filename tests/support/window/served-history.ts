import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { fillStore } from '../store/seeded-store.ts'
import { startApp, type TestApp } from '../app/start-app.ts'
import { surfaceHistory } from '../app/surface-history.ts'
import { makeTempFolder, type TempFolder } from '../runner/temp-folder.ts'

export interface Item {
  readonly [field: string]: unknown
}
export interface List {
  readonly items: readonly Item[]
  readonly next: string | null
}

/** Serves the app over HTTP to all tests of a file, with a history larger than every default limit. */
export function servedHistory() {
  let folder: TempFolder | undefined
  let app: TestApp | undefined

  beforeAll(async () => {
    folder = makeTempFolder()
    fillStore(folder.path, surfaceHistory(), undefined, true)
    // These tests send nothing upstream.
    const started = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path })
    app = started
    await started.recorderRuns()
  })
  afterAll(async () => {
    await app?.close()
    folder?.remove()
  })

  const url = (path: string) => `${app?.app ?? ''}${path}`
  const key = (name: string) => readFileSync(join(folder?.path ?? '', name), 'utf8').trim()

  /** Sends a request with the owner's key, unless `init` sets another. */
  function send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${key('token')}`, ...init.headers }
    return fetch(url(path), { ...init, headers })
  }

  /** Returns the body of a successful response. */
  async function get<T = List>(path: string): Promise<T> {
    const response = await send(path)
    const body = (await response.json()) as T
    expect(response.status, `${path}: ${JSON.stringify(body)}`).toBe(200)
    return body
  }

  return { url, key, send, get, id: () => app?.id ?? '', data: () => folder?.path ?? '' }
}

export const fieldsOf = (items: readonly Item[], ...fields: string[]) =>
  items.map((item) => fields.map((field) => item[field]))

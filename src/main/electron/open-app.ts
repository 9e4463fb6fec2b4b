import { setTimeout as pause } from 'node:timers/promises'
import { AspyError } from '../../shared/contract/errors.ts'
import { readKey } from '../base/data-folder.ts'
import { findRunningApp } from '../base/running-app.ts'
import { createRemoteDispatch } from '../dispatch/remote-dispatch.ts'
import type { OpenedApp } from './door.ts'

/** Retries for two apps that start at once: the second finds the first a moment later. */
const TRIES = 5
const PAUSE_MS = 500

/** Attaches to the app that already serves the data, or starts one in this process with `openOwn`. */
export async function openApp(dataDir: string, openOwn: () => Promise<OpenedApp>): Promise<OpenedApp> {
  for (let tries = 1; ; tries += 1) {
    const running = await findRunningApp(dataDir)
    const token = running === null ? null : readKey(dataDir, 'token')
    if (running !== null && token !== null) {
      return {
        dispatch: createRemoteDispatch({ appUrl: running.appUrl, token }),
        kind: 'other',
        ports: running.ports,
        stop: async () => undefined,
        isThere: async () => (await findRunningApp(dataDir).catch(() => null))?.id === running.id,
      }
    }
    try {
      return await openOwn()
    } catch (error) {
      if (tries === TRIES || !(error instanceof AspyError) || error.code !== 'already_running') throw error
    }
    await pause(PAUSE_MS)
  }
}

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readState, writeState } from '../base/state-file.ts'
import { callOperation } from '../dispatch/call-operation.ts'
import type { Dispatch } from '../dispatch/dispatch.ts'
import { desktopSettings } from './desktop-settings.ts'

/** The part of a message box that is used. */
interface Question {
  readonly type: 'question'
  readonly message: string
  readonly detail: string
  readonly buttons: string[]
  readonly defaultId: number
  readonly cancelId: number
  readonly noLink: boolean
}

const answered = z.object({ wants_updates: z.boolean() })

/**
 * Asks once whether to look for new versions, and turns it on only then. Asks nothing if the package names no address, or
 * if the setting has one already.
 */
export async function offerUpdates(options: {
  /** Folder of the package's own resources. */
  readonly resources: string
  /** Folder for the answer. */
  readonly folder: string
  readonly dispatch: Pick<Dispatch, 'call'>
  readonly ask: (question: Question) => Promise<{ readonly response: number }>
}): Promise<void> {
  const { resources, folder, dispatch, ask } = options
  const file = join(folder, 'updates.json')
  const url = feedOf(resources)
  if (url === null || readState(file, answered) !== null) return
  const { app } = desktopSettings(await callOperation(dispatch, 'config.get', {}, { access: 'all' }))
  if (app.update_url !== '') return
  const { response } = await ask({
    type: 'question',
    message: 'Look for new versions of Aspy?',
    detail: [
      `Once a day, Aspy would ask ${url} for the newest version, and download it. You decide when it is installed.`,
      'The request names your system, and no version, no ID and nothing that was recorded. As with any request, the server sees your network address.',
      'You can change this in Settings, under "Update address".',
    ].join('\n\n'),
    buttons: ['Look once a day', 'Never'],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  })
  writeState(file, { wants_updates: response === 0 })
  if (response === 0)
    await callOperation(dispatch, 'config.set', { key: 'app.update_url', value: url }, { access: 'all' })
}

/** Returns the address that electron-builder wrote into the package; null if it has none. Throws if it cannot be read. */
function feedOf(resources: string): string | null {
  const file = join(resources, 'app-update.yml')
  // A package that is made without an address has no such file.
  if (!existsSync(file)) return null
  return /^url: ['"]?(https:\/\/[^\s'"]+)['"]?$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? null
}

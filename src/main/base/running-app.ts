import { AspyError } from '../../shared/contract/errors.ts'
import { readKey } from './data-folder.ts'
import { openProvenSocket, UnprovenError } from './proven-socket.ts'
import { findRunningNote, type RunningNote } from './running-note.ts'

/** The app that serves a folder. It has proved that it knows the folder's key. */
export interface RunningApp extends RunningNote {
  readonly appUrl: string
  readonly proxyUrl: string | null
}

/**
 * Finds the app that serves a folder; null if none is running. The program that its note names must prove that it knows the
 * owner's key. Throws `conflict` if it answers without a proof: it may be an older Aspy, or one that only claims to be Aspy.
 */
export async function findRunningApp(dir: string): Promise<RunningApp | null> {
  const note = findRunningNote(dir)
  if (note === null) return null
  const { app: port, proxy } = note.ports
  const key = readKey(dir, 'token')
  if (key === null) throw new AspyError('unauthorized', `the running app's key is missing from ${dir}`)
  try {
    const socket = await openProvenSocket({ port, keyName: 'token', key })
    socket.destroy()
  } catch (error) {
    if (error instanceof UnprovenError) throw unproven(port, dir)
    // Nothing answers: the note was left behind by an app that was killed.
    return null
  }
  return {
    ...note,
    appUrl: `http://127.0.0.1:${port}`,
    proxyUrl: proxy === null ? null : `http://127.0.0.1:${proxy}`,
  }
}

/** Throws `already_running` if an app serves the folder. */
export async function refuseSecondApp(dir: string): Promise<void> {
  const running = await findRunningApp(dir)
  if (running === null) return
  throw new AspyError('already_running', `Aspy already serves ${dir} at ${running.appUrl} (pid ${running.pid})`)
}

/** Returns the error for a program that answers on the app's port but is not the app. */
export function unproven(port: number, dir: string | null = null): AspyError {
  const advice = dir === null ? '' : `; if no Aspy is running, stop that program or delete ${dir}/app.json`
  return new AspyError(
    'conflict',
    `the program on port ${port} cannot prove that it is this Aspy, so nothing was sent to it: ` +
      `an older Aspy must be restarted${advice}`,
  )
}

import { test as base } from 'vitest'
import { makeTempFolder } from '../runner/temp-folder.ts'
import { type Script, startMessagesUpstream } from '../upstream/messages-upstream.ts'
import { startApp, type TestAppOptions } from './start-app.ts'

/** Options of a file for its app, besides the defaults. */
export interface AppGiven extends Pick<TestAppOptions, 'claudeCode' | 'settings' | 'undo'> {
  /** Answers of the upstream. Left out: nothing listens there. */
  readonly answer?: Script
}

const NOWHERE = 'http://127.0.0.1:9'

/** A test over one app. Each part is started when the file first asks for it, and closed after the file. */
export const test = base
  .extend('given', { scope: 'file' }, {} as AppGiven)
  /** The data folder of the app, and one outside it: nothing is imported from a data folder. */
  .extend('folder', { scope: 'file' }, ({}, { onCleanup }) => newFolder(onCleanup))
  .extend('outside', { scope: 'file' }, ({}, { onCleanup }) => newFolder(onCleanup))
  .extend('upstream', { scope: 'file' }, async ({ given }, { onCleanup }) => {
    const upstream = await startMessagesUpstream(given.answer ?? unanswered)
    onCleanup(upstream.close)
    return upstream
  })
  /** Origins of the servers that the file has started for a page. */
  .extend('origins', { scope: 'file' }, () => new Set<string>())
  .extend('app', { scope: 'file' }, async ({ given, folder, upstream, origins }, { onCleanup }) => {
    const { answer, ...options } = given
    const app = await startApp({ upstream: answer === undefined ? NOWHERE : upstream.url, dataDir: folder, ...options })
    onCleanup(app.close)
    origins.add(app.app)
    await app.recorderRuns()
    return app
  })

function newFolder(onCleanup: (remove: () => void) => void): string {
  const folder = makeTempFolder()
  onCleanup(folder.remove)
  return folder.path
}

function unanswered(): never {
  throw new Error('a file whose upstream is asked gives it an `answer`')
}

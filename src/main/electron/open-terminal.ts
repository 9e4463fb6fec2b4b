import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, rmSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { OPEN_TERMINAL, START_CLIENT } from '../../shared/bridge.ts'
import { AspyError } from '../../shared/contract/errors.ts'
import { mayAccess } from '../base/may-access.ts'
import { callOperation } from '../dispatch/call-operation.ts'
import { isResumable, resumeOf } from '../../shared/vendors.ts'
import type { IpcDispatch } from '../surfaces/ipc/ipc-surface.ts'
import { isLocalFolder, terminalCommand, type TerminalCommand, type TerminalOptions } from './terminal-command.ts'
import { errorMessage } from '../../shared/error-text.ts'

export interface OpenTerminalOptions {
  readonly dispatch: IpcDispatch
  readonly env: Readonly<Record<string, string | undefined>>
  /** Read at each call. */
  readonly platform: () => NodeJS.Platform
  /** Folder for scripts; only its owner can read it. */
  readonly scripts: string
  /** Asks the user for a folder; null: none was chosen. */
  readonly chooseFolder?: () => Promise<string | null>
}

/**
 * Adds calls to the window's dispatch that open a terminal: to resume a session, or to start one. They are not
 * operations, so no other surface has them. The page names a session, never a folder: that is looked up here, or chosen
 * by the user.
 */
export function withTerminal(options: OpenTerminalOptions): IpcDispatch {
  const { dispatch } = options
  return {
    stream: (name, input, context, signal) => dispatch.stream(name, input, context, signal),
    async call(name, input, context) {
      if (name === START_CLIENT) return new TextEncoder().encode(String(await startClient(options)))
      if (name !== OPEN_TERMINAL) return dispatch.call(name, input, context)
      await openTerminal(sessionIdOf(input), options)
      return new TextEncoder().encode('null')
    },
  }
}

function sessionIdOf(input: unknown): string {
  const id = typeof input === 'object' && input !== null && 'session_id' in input ? input.session_id : null
  if (typeof id === 'string' && isResumable(id)) return id
  throw new AspyError(
    'bad_input',
    'Claude Code and Codex can resume only their own sessions, and this ID is not one of theirs',
  )
}

async function openTerminal(id: string, { dispatch, env, platform, scripts }: OpenTerminalOptions): Promise<void> {
  const resume = resumeOf(id)?.join(' ') ?? ''
  const { project: folder } = await callOperation(dispatch, 'sessions.get', { session_id: id }, { access: 'all' })
  if (!folder)
    throw new AspyError('conflict', `The folder of this session is unknown. Open a terminal in it and run ${resume}`)
  if (!isLocalFolder(platform(), folder) || !(await isFolder(folder))) {
    throw new AspyError(
      'conflict',
      `The folder of this session is not on this machine. Open a terminal where it is now and run ${resume}`,
    )
  }
  await open({ folder, sessionId: id }, { env, platform, scripts })
}

/** Starts Claude Code in a folder that the user chooses. Returns false if none was chosen. */
async function startClient(options: OpenTerminalOptions): Promise<boolean> {
  const { variables } = await callOperation(options.dispatch, 'claude_code.connection', {}, { access: 'all' })
  if (variables === null) throw new AspyError('conflict', 'The proxy is off: nothing would be recorded')
  const folder = (await options.chooseFolder?.()) ?? null
  if (folder === null) return false
  if (!isLocalFolder(options.platform(), folder))
    throw new AspyError('bad_input', 'Claude Code can start only in a folder on this machine')
  await open({ folder, sessionId: null, variables }, options)
  return true
}

async function open(
  what: Pick<TerminalOptions, 'folder' | 'sessionId' | 'variables'>,
  { env, platform, scripts }: Pick<OpenTerminalOptions, 'env' | 'platform' | 'scripts'>,
): Promise<void> {
  const find = (program: string) => findProgram(program, env['PATH'])
  const command = terminalCommand({ ...what, platform: platform(), env, scripts, find })
  if (command === null)
    throw new AspyError('conflict', 'No terminal found. Set $TERMINAL to yours, or copy the command')
  await start(command, env)
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

async function start({ program, args, cwd, env: more, script }: TerminalCommand, env: OpenTerminalOptions['env']) {
  try {
    if (script !== null) {
      rmSync(script.file, { force: true })
      writeFileSync(script.file, script.text, { mode: 0o700, flag: 'wx' })
    }
    const child = spawn(program, args, { cwd, env: { ...env, ...more }, detached: true, stdio: 'ignore' })
    child.unref()
    await once(child, 'spawn')
  } catch (error) {
    const why = errorMessage(error)
    throw new AspyError('conflict', `Could not start the terminal (${why}). Copy the command instead`)
  }
}

/** Finds a program by its full path, or by name in the folders of PATH. Relative folders in PATH are skipped. */
export function findProgram(program: string, path = ''): string | null {
  if (isAbsolute(program)) return isExecutable(program) ? program : null
  if (program.includes('/')) return null
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder))
  return folders.map((folder) => join(folder, program)).find(isExecutable) ?? null
}

const isExecutable = (file: string): boolean => mayAccess(file, constants.X_OK)

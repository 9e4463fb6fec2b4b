import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'
import { launchAgent, scheduledTask, SERVICE_NAMES, systemdUnit, type LoginService } from './login-service.ts'

/** Runs a program to its end and returns its output, or the error output if it failed. */
export type RunProgram = (
  program: string,
  args: readonly string[],
) => Promise<{ readonly ok: boolean; readonly output: string }>

/** The system's manager of services that start when the user logs in. */
export interface ServiceManager {
  /** Display name: systemd, launchd, the task scheduler. */
  readonly name: string
  /** Path of the service's definition. */
  readonly file: string
  /** Resolves with false if it cannot be reached, for example in a container or over plain ssh. */
  isReachable(): Promise<boolean>
  /** Defines the service, and starts it now and at each login. Repeating it updates the service. Throws `internal`. */
  install(service: LoginService): Promise<void>
  /** No longer starts it at login; what runs goes on. Resolves with whether it did before. */
  disable(): Promise<boolean>
  /** Removes the service, and stops it unless clients use it. Does nothing if it does not exist. */
  remove(isUsed: boolean): Promise<void>
}

interface Surroundings {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly uid: number
  readonly run: RunProgram
}

/** Returns the service manager of this system; null if none is supported. */
export function serviceManagerOf(on: Surroundings): ServiceManager | null {
  if (on.platform === 'linux') return systemd(on)
  if (on.platform === 'darwin') return launchd(on)
  return on.platform === 'win32' ? taskScheduler(on) : null
}

function systemd({ home, env, run }: Surroundings): ServiceManager {
  const file = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'systemd', 'user', SERVICE_NAMES.systemd)
  const systemctl = (...args: string[]) => run('systemctl', ['--user', ...args])
  return {
    name: 'systemd',
    file,
    isReachable: async () => (await systemctl('show-environment')).ok,
    async install(service) {
      write(file, systemdUnit(service))
      must(await systemctl('daemon-reload'))
      must(await systemctl('enable', SERVICE_NAMES.systemd))
      // Without waiting: streams of the one that runs may take minutes.
      must(await systemctl('restart', '--no-block', SERVICE_NAMES.systemd))
    },
    disable: async () =>
      existsSync(file) &&
      (await systemctl('is-enabled', SERVICE_NAMES.systemd)).ok &&
      (await systemctl('disable', SERVICE_NAMES.systemd)).ok,
    async remove(isUsed) {
      await systemctl('disable', ...(isUsed ? [] : ['--now', '--no-block']), SERVICE_NAMES.systemd)
      rmSync(file, { force: true })
      await systemctl('daemon-reload')
    },
  }
}

function launchd({ home, uid, run }: Surroundings): ServiceManager {
  const file = join(home, 'Library', 'LaunchAgents', `${SERVICE_NAMES.launchd}.plist`)
  const domain = `gui/${uid}`
  const bootOut = () => run('launchctl', ['bootout', `${domain}/${SERVICE_NAMES.launchd}`])
  return {
    name: 'launchd',
    file,
    isReachable: async () => (await run('launchctl', ['print', domain])).ok,
    async install(service) {
      await bootOut()
      write(file, launchAgent(service))
      must(await run('launchctl', ['bootstrap', domain, file]))
    },
    disable() {
      const wasThere = existsSync(file)
      // It stays loaded until the logout.
      rmSync(file, { force: true })
      return Promise.resolve(wasThere)
    },
    async remove(isUsed) {
      if (!isUsed) await bootOut()
      rmSync(file, { force: true })
    },
  }
}

function taskScheduler({ home, env, run }: Surroundings): ServiceManager {
  const file = join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'aspy', 'aspy-task.xml')
  const user = [env['USERDOMAIN'], env['USERNAME']].filter(Boolean).join('\\')
  const schtasks = (...args: string[]) => run('schtasks', args)
  return {
    name: 'the task scheduler',
    file,
    isReachable: async () => user !== '' && (await schtasks('/Query', '/FO', 'CSV', '/NH')).ok,
    async install(service) {
      // The task scheduler accepts only UTF-16 with a byte order mark.
      write(file, Buffer.from(`\ufeff${scheduledTask(service, user)}`, 'utf16le'))
      must(await schtasks('/Create', '/TN', SERVICE_NAMES.tasks, '/XML', file, '/F'))
      must(await schtasks('/Run', '/TN', SERVICE_NAMES.tasks))
    },
    disable: async () => (await schtasks('/Change', '/TN', SERVICE_NAMES.tasks, '/DISABLE')).ok,
    async remove(isUsed) {
      if (!isUsed) await schtasks('/End', '/TN', SERVICE_NAMES.tasks)
      await schtasks('/Delete', '/TN', SERVICE_NAMES.tasks, '/F')
      rmSync(file, { force: true })
    },
  }
}

/** Writes a file that only its owner can read, since it may contain a proxy's password. */
function write(file: string, text: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o600 })
}

function must({ ok, output }: { readonly ok: boolean; readonly output: string }): void {
  if (!ok) throw new AspyError('internal', `could not start the login service: ${output.trim()}`)
}
